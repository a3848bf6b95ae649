package ui

import (
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

type briefView struct {
	// class is accepted, rejected or unknown.
	class string
	word  string
	// detail is what was judged and how many problems there are.
	detail string
}

// briefVerdict is the verdict on the objects, or on the CRD if there is none
// or the CRD is at fault.
func briefVerdict(report playground.Report) briefView {
	view := briefView{class: "accepted", word: "Accepted"}
	var what string
	if !report.CRD.Accepted || len(report.Objects) == 0 {
		what = "CRD"
		view.judge(report.CRD.Accepted, report.CRD.Status)
	} else {
		what = objectsText(report.Objects)
		for _, object := range report.Objects {
			view.judge(object.Accepted, object.Status)
		}
	}
	var problems string
	if all := findings(report); len(all) > 0 {
		problems = problemCounts(all)
	}
	view.detail = strings.Join(nonEmpty(problems, what), " · ")
	return view
}

// judge lets a request make the verdict worse.
func (v *briefView) judge(accepted bool, status playground.Status) {
	switch {
	case accepted:
	case status.Code != 0:
		v.class, v.word = "rejected", "Rejected"
	case v.class == "accepted":
		v.class, v.word = "unknown", "Not evaluated"
	}
}

func objectsText(objects []playground.Object) string {
	if len(objects) == 1 {
		return objectTitle(objects[0])
	}
	accepted := 0
	for _, object := range objects {
		if object.Accepted {
			accepted++
		}
	}
	if accepted == len(objects) {
		return count(len(objects), "object")
	}
	return bareCount(accepted) + " of " + count(len(objects), "object") + " accepted"
}
