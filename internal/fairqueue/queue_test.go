package fairqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// history is a queue whose requests have names. The first letter of a name is the
// client. Requests of clients with capital letters are heavy.
type history struct {
	queue    *Queue[string]
	requests map[string]*request[string]
}

func newHistory(limits Limits) history {
	return history{New[string](limits), map[string]*request[string]{}}
}

// do executes a step: "+a1" is the arrival of a request, and "-a1" its end.
func (h history) do(step string) error {
	name := step[1:]
	if step[0] == '-' {
		h.queue.leave(h.requests[name])
		delete(h.requests, name)
		return nil
	}
	client := name[:1]
	r, err := h.queue.arrive(client, client == strings.ToUpper(client))
	if err == nil {
		h.requests[name] = r
	}
	return err
}

// state lists the running requests, the waiting ones after "|", and the displaced
// ones after "!".
func (h history) state() string {
	var running, waiting, displaced []string
	for name, r := range h.requests {
		switch {
		case r.isStarted:
			running = append(running, name)
		case r.isDisplaced:
			displaced = append(displaced, name)
		default:
			waiting = append(waiting, name)
		}
	}
	state := names(running) + " |" + names(waiting)
	if len(displaced) > 0 {
		state += " !" + names(displaced)
	}
	return state
}

func names(of []string) string {
	slices.Sort(of)
	return " " + strings.Join(of, " ")
}

func TestHistories(t *testing.T) {
	two := Limits{Slots: 2, Shared: 1, Waiting: 6, ClientWaiting: 3}
	four := Limits{Slots: 4, Shared: 2, Waiting: 20, ClientWaiting: 20}
	for _, c := range []struct {
		name   string
		limits Limits
		steps  string
		want   string
	}{
		{"a client never holds the last slot", two, "+a1 +a2 +a3", " a1 | a2 a3"},
		{"another client starts at once", two, "+a1 +a2 +b1", " a1 b1 | a2"},
		{"the next request of a client follows its first", two, "+a1 +a2 -a1", " a2 | "},
		{"a free slot remains free for others", two, "+a1 +a2 +b1 -b1", " a1 | a2"},
		{"clients take turns", two, "+a1 +b1 +c1 +c2 +d1 +d2 -a1 -c1 -d1", " b1 c2 | d2"},
		{"requests of a client keep their order", two, "+a1 +a2 +a3 +a4 -a1 -a2", " a3 | a4"},
		{"a client that cannot start is skipped", two, "+a1 +b1 +a2 +c1 -b1", " a1 c1 | a2"},
		{"a skipped client keeps its turn", two, "+a1 +b1 +a2 +c1 +d1 -b1 -a1", " a2 c1 | d1"},
		{"a request that leaves the queue never starts", two, "+a1 +a2 +a3 -a2 -a1", " a3 | "},
		{"heavy requests never hold the last slot", two, "+A1 +B1 +C1", " A1 | B1 C1"},
		{"a light request starts between heavy ones", two, "+A1 +B1 +c1", " A1 c1 | B1"},
		{"a heavy request follows another", two, "+A1 +B1 +c1 -A1", " B1 c1 | "},
		{"a light request passes heavy ones", two, "+A1 +b1 +C1 +d1 -b1", " A1 d1 | C1"},
		{"one client may use half of the slots", four, "+a1 +a2 +a3", " a1 a2 | a3"},
		{"half of the slots of all clients", four, "+a1 +a2 +b1 +b2 +c1", " a1 a2 b1 c1 | b2"},
		{"all slots without limits per client", Limits{Slots: 3, Shared: 3, Waiting: 1, ClientWaiting: 1}, "+a1 +a2 +a3 +a4", " a1 a2 a3 | a4"},
		{"a full queue displaces the newest request of the longest queue", two, "+a1 +b1 +a2 +a3 +a4 +b2 +b3 +b4 +c1", " a1 b1 | a2 a3 b2 b3 b4 c1 ! a4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHistory(c.limits)
			for step := range strings.FieldsSeq(c.steps) {
				if err := h.do(step); err != nil {
					t.Fatalf("%s: %v", step, err)
				}
			}
			if got := h.state(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, steps, last string
		want              error
	}{
		{"client", "+a1 +a2 +a3 +a4", "+a5", ErrClientFull},
		{"all clients", "+x1 +y1 +a1 +b1 +c1 +d1 +e1 +f1", "+g1", ErrFull},
		{"client with as many as the longest", "+x1 +y1 +a1 +a2 +a3 +b1 +b2 +b3", "+a4", ErrClientFull},
	} {
		h := newHistory(Limits{Slots: 2, Shared: 1, Waiting: 6, ClientWaiting: 3})
		for step := range strings.FieldsSeq(c.steps) {
			if err := h.do(step); err != nil {
				t.Fatalf("%s: %s: %v", c.name, step, err)
			}
		}
		before := h.state()
		if err := h.do(c.last); !errors.Is(err, c.want) || h.state() != before {
			t.Errorf("%s: %v, state %q", c.name, err, h.state())
		}
	}
}

// TestRandomHistories checks after each step that the limits hold and that
// no request waits that may run, and before each light request that Full announces its
// refusal.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		slots := 2 + random.IntN(4)
		limits := Limits{Slots: slots, Shared: slots / 2, Waiting: 3 + random.IntN(8), ClientWaiting: 4}
		h := newHistory(limits)
		for i := range 300 {
			step := fmt.Sprintf("+%c%d", "abcdXYZ"[random.IntN(7)], i)
			if len(h.requests) > 0 && random.IntN(2) == 0 {
				step = "-" + anyName(random, h.requests)
			}
			full := h.queue.Full(step[1:2])
			if err := h.do(step); step[0] == '+' && step[1] >= 'a' && err != full { //nolint:errorlint // Acquire returns the same value.
				t.Fatalf("seed %d, step %d (%s): %v, but Full announced %v: %s", seed, i, step, err, full, h.state())
			}
			if fault := h.fault(); fault != "" {
				t.Fatalf("seed %d, step %d (%s): %s: %s", seed, i, step, fault, h.state())
			}
		}
		for name := range h.requests {
			_ = h.do("-" + name)
		}
		if running, waiting := h.queue.Usage(); running != 0 || waiting != 0 || len(h.queue.clients) != 0 || len(h.queue.turns) != 0 || h.queue.heavy != 0 {
			t.Fatalf("seed %d: %d requests run, %d wait, %d clients are known after all requests", seed, running, waiting, len(h.queue.clients))
		}
	}
}

func anyName(random *rand.Rand, requests map[string]*request[string]) string {
	var all []string
	for name := range requests {
		all = append(all, name)
	}
	slices.Sort(all)
	return all[random.IntN(len(all))]
}

// fault names a violated promise of the queue, or returns "".
func (h history) fault() string {
	q := h.queue
	running, heavy := map[string]int{}, 0
	for _, r := range h.requests {
		if r.isStarted {
			running[r.share.client]++
			if r.isHeavy {
				heavy++
			}
		}
	}
	total := 0
	for client, n := range running {
		if total += n; n >= q.limits.Slots {
			return "client " + client + " holds all slots"
		}
	}
	switch {
	case total > q.limits.Slots:
		return "too many requests run"
	case heavy >= q.limits.Slots:
		return "heavy requests hold all slots"
	case q.waiting > q.limits.Waiting:
		return "too many requests wait"
	}
	for _, s := range q.turns {
		if q.mayStart(s.waiting[0]) {
			return "a request waits without reason"
		}
	}
	return ""
}

func TestAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string](Limits{Slots: 2, Shared: 1, Waiting: 2, ClientWaiting: 2})
		release, err := q.Acquire(t.Context(), "a", false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 3)
		acquire := func(ctx context.Context, client string) {
			release, err := q.Acquire(ctx, client, false)
			if ended <- err; err == nil {
				release()
			}
		}
		go acquire(ctx, "a")
		synctest.Wait()
		go acquire(t.Context(), "a")
		synctest.Wait()
		if running, waiting := q.Usage(); running != 1 || waiting != 2 {
			t.Errorf("%d requests run and %d wait", running, waiting)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled request returns %v", err)
		}
		release()
		if err := <-ended; err != nil {
			t.Errorf("the next request returns %v", err)
		}
		synctest.Wait()
		if running, waiting := q.Usage(); running != 0 || waiting != 0 {
			t.Errorf("%d requests run and %d wait at the end", running, waiting)
		}
	})
}

func TestDisplacedRequestFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string](Limits{Slots: 2, Shared: 1, Waiting: 2, ClientWaiting: 2})
		for _, client := range []string{"a", "b"} {
			if _, err := q.Acquire(t.Context(), client, false); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go func() {
				_, err := q.Acquire(ctx, "a", false)
				ended <- err
			}()
		}
		synctest.Wait()
		go func() {
			_, err := q.Acquire(ctx, "c", false)
			ended <- err
		}()
		if err := <-ended; !errors.Is(err, ErrFull) {
			t.Errorf("the displaced request returns %v", err)
		}
		cancel()
		for range 2 {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled request returns %v", err)
			}
		}
	})
}
