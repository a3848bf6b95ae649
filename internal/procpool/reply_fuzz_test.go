package procpool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// FuzzReply decodes arbitrary replies of a child. A child that returned the same result
// would send an equal reply.
func FuzzReply(f *testing.F) {
	for _, reply := range []frame{
		{kind: replyBody, data: []byte("{}")},
		{kind: replyInvalid, data: []byte(`{"Parameter":"operation","Message":"must be a verb"}`)},
		{kind: replyStopped, data: []byte(`{"Reason":"it took more than 20 s"}`)},
		{kind: replyUnreadable},
		{kind: replyFailure, data: []byte("panic")},
		{kind: replyInvalid, data: []byte("null")},
		{kind: replyStopped, data: []byte("[")},
		{kind: replyCall, data: []byte("1.31")},
	} {
		f.Add(byte(reply.kind), reply.data)
	}
	f.Fuzz(func(t *testing.T, k byte, data []byte) {
		body, err := frame{kind: kind(k), data: data}.result()
		againBody, again := replyWith(body, err).result()
		if !bytes.Equal(againBody, body) || (again == nil) != (err == nil) {
			t.Fatalf("%d %q: %q, %v, then %q, %v", k, data, body, err, againBody, again)
		}
		if err != nil && len(data) <= maxMessage && again.Error() != err.Error() {
			t.Errorf("%d %q: the error %q became %q", k, data, err, again)
		}
		_, isInvalid := errors.AsType[*playground.InvalidScenarioError](err)
		_, isStopped := errors.AsType[*playground.StoppedError](err)
		if (isInvalid || isStopped) && !reflect.DeepEqual(again, err) {
			t.Errorf("%d %q: the error %#v became %#v", k, data, err, again)
		}
	})
}

// FuzzNote gives a child requests with arbitrary notes. It must pass a note to the task
// as encoding/json decodes it, and refuse any other note.
func FuzzNote(f *testing.F) {
	for _, note := range []string{"", "null", "{", `{"reason":"it took more than 20 s","milliseconds":20000}`, `{"milliseconds":1e999}`, `[]`} {
		f.Add([]byte(note), []byte("{}"))
	}
	f.Fuzz(func(t *testing.T, note, data []byte) {
		var got *playground.Request
		child := Render(func(_ context.Context, request playground.Request) ([]byte, error) {
			got = &request
			return request.Body, nil
		})
		reply := child.reply(frame{kind: kind(playground.TaskReport), note: note, data: data})
		want := playground.Request{Task: playground.TaskReport, Body: data}
		if len(note) > 0 {
			want.Stopped = &playground.Stopped{}
			if json.Unmarshal(note, want.Stopped) != nil {
				if got != nil || reply.kind != replyFailure {
					t.Errorf("the note %q has the reply %+v", note, reply)
				}
				return
			}
		}
		if got == nil || !reflect.DeepEqual(*got, want) || reply.kind != replyBody || !bytes.Equal(reply.data, data) {
			t.Errorf("the note %q: got %+v, want %+v, reply %+v", note, got, want, reply)
		}
	})
}
