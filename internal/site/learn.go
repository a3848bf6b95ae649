package site

import (
	"slices"
	"strconv"

	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// learnPath is the path of the catalogue of the examples.
	learnPath = "learn/"
	tourPath  = learnPath + "tour/"

	tourTitle       = "A tour in ten steps"
	tourDescription = "Ten rejected CRDs and objects to mend, from a first validation to an admission policy."
)

// A lesson is an example in its goal, with its answer.
type lesson struct {
	examples.Example
	goal   goal
	answer examples.Exchange
}

func lessonPath(id string) string { return learnPath + id + "/" }

// learnPages returns the catalogue, the tour, and a page for each example.
func learnPages() ([]page, error) {
	answers, err := examples.Exchanges()
	if err != nil {
		return nil, err
	}
	goals := catalogue()
	var lessons []lesson
	for _, g := range goals {
		for _, e := range g.examples {
			lessons = append(lessons, lesson{e, g, answers[e.ID]})
		}
	}
	index := page{path: learnPath, title: "Learn CRDs by example", description: "Examples of Kubernetes CRDs by learning goal, each with the API server's answer."}
	releases := releasesOf(lessons)
	index.content = learnIndex(index, goals, releases)
	walk := page{path: tourPath, title: tourTitle, description: tourDescription}
	walk.content = tourPage(walk)
	news := page{path: releasesPath, title: releasesTitle, description: releasesDescription}
	news.content = releasesPage(news, releases)
	pages := []page{index, walk, news}
	for i, l := range lessons {
		p := page{path: lessonPath(l.ID), title: l.Title, description: l.Note}
		p.content = lessonPage(p, lessons, i)
		pages = append(pages, p)
	}
	return pages, nil
}

// exampleOf returns the example with an id of a table in this package. A test requires that it exists.
func exampleOf(id string) examples.Example {
	all := examples.All()
	return all[slices.IndexFunc(all, func(e examples.Example) bool { return e.ID == id })]
}

// explained returns the pages of the errors in an answer, each once.
func explained(answer examples.Exchange) []errorindex.Page {
	return slices.DeleteFunc(slices.Clone(errorindex.All()), func(p errorindex.Page) bool {
		return !slices.ContainsFunc(answer.Findings, func(f examples.Mark) bool { return f.Code == p.Code })
	})
}

// marksOf returns the findings in each document.
func marksOf(answer examples.Exchange) marks {
	all := marks{}
	for _, f := range answer.Findings {
		all[f.Document] = append(all[f.Document], mark{f.Range, f.Severity})
	}
	return all
}

// requestTitle names a request of an answer by its document and, if there are several, its number.
func requestTitle(answer examples.Exchange, i int) string {
	if answer.Requests[i].Document == playground.DocumentCRD {
		return "CRD"
	}
	if len(answer.Requests) == 2 {
		return "Object"
	}
	return "Object " + strconv.Itoa(i)
}

// stepID returns the id of the step with an index.
func stepID(i int) string { return "step-" + strconv.Itoa(i+1) }
