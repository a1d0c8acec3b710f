package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// jobTold is a job as it is answered.
type jobTold struct {
	ID, Status          string
	Total, Done, Failed int
}

// jobs are those of a business whose server is killed in the midst of them.
type jobs struct {
	t         *testing.T
	db, token string
	v         *victim
}

// missed tells of something that did not happen in time. That is a fault in the long form alone: a short job can end while this
// process has to wait for a processor.
func (j *jobs) missed(what string) {
	if j.t.Helper(); jobKills > 1 {
		j.t.Error(what)
		return
	}
	j.t.Log(what)
}

func (j *jobs) ask(do, body string, answer any) {
	j.t.Helper()
	a := j.v.send(j.token, do, body, "")
	if err := json.Unmarshal([]byte(a.text), answer); err != nil || a.status/100 != 2 {
		j.t.Fatalf("%s is answered %d %s", do, a.status, a.text)
	}
}

// ends kills the server so many times while it works on a job, each time after it has got on, and waits for the job's end.
func (j *jobs) ends(id string, kills int) (w jobTold) {
	j.t.Helper()
	killed := 0
	for range kills {
		before := -1
		for w = (jobTold{}); w.Status != "succeeded"; { // asking has the job rest, because others are there
			j.ask("GET /v1/jobs/"+id, "", &w)
			if before >= 0 && w.Done > before && w.Done < w.Total {
				break
			}
			if before < 0 {
				before = w.Done
			}
		}
		if w.Status == "succeeded" {
			break
		}
		j.v.kill()
		j.v = newVictim(j.t, j.db)
		killed++
	}
	eventually(j.t, "the job ends", func() bool {
		j.ask("GET /v1/jobs/"+id, "", &w)
		return w.Status != "running" && w.Status != "queued"
	})
	j.t.Logf("job %s: %+v, %d kills in its midst", id, w, killed)
	if killed == 0 {
		j.missed("it ended before it could be killed")
	}
	return w
}

// records counts the contacts by title and version.
func (j *jobs) records() map[string]int {
	all := map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				JobTitle string `json:"job_title"`
				Version  int
			}
			Meta struct{ Cursor struct{ Next string } }
		}
		j.ask("POST /v1/contacts/search", `{"limit":100,"fields":["job_title","version"]`+cursor+`}`, &page)
		for _, c := range page.Data {
			all[fmt.Sprintf("%s, version %d", c.JobTitle, c.Version)]++
		}
		if page.Meta.Cursor.Next == "" {
			return all
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, page.Meta.Cursor.Next)
	}
}

// A server is killed in the midst of a bulk job, and in the long form also while that is undone. Each record is changed once, the
// job ends, and undo brings all of them back. Meanwhile another business writes, and does not wait for the job's end.
func TestKilledServersLoseNothingOfJobs(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		t.Parallel()
		_, other := newBusiness(t, db)
		business, token := newBusiness(t, db)
		j := &jobs{t: t, db: db, token: token, v: newVictim(t, db)}
		for n := range changedInBulk / 100 {
			operations := make([]string, 100)
			for i := range operations {
				operations[i] = fmt.Sprintf(`{"op":"create","data":{"name":"C%dx%d"}}`, n, i)
			}
			j.ask("POST /v1/contacts/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`, &struct{}{})
		}
		var begun, now jobTold
		j.ask("POST /v1/contacts/bulk", `{"filters":[],"op":"update","data":{"job_title":"Cook"}}`, &begun)
		for n := range 5 {
			if a := j.v.send(other, "POST /v1/contacts", fmt.Sprintf(`{"name":"O%d"}`, n), ""); a.status != http.StatusCreated {
				t.Fatalf("%d %s", a.status, a.text)
			}
		}
		if j.ask("GET /v1/jobs/"+begun.ID, "", &now); now.Status == "succeeded" {
			j.missed(fmt.Sprintf("five writes of another business waited for the end of a job: %+v", now))
		}
		if w := j.ends(begun.ID, jobKills); w.Status != "succeeded" || w.Done != changedInBulk || w.Failed != 0 {
			t.Errorf("the job is %+v", w)
		}
		if all := j.records(); len(all) != 1 || all["Cook, version 2"] != changedInBulk {
			t.Errorf("the records are %v", all)
		}
		var undo jobTold
		j.ask("POST /v1/undo", `{"job_id":"`+begun.ID+`"}`, &undo)
		if undo.ID == "" {
			t.Fatalf("undo is no job: %+v", undo)
		}
		if jobKills > 1 {
			undo = j.ends(undo.ID, jobKills)
		}
		eventually(t, "it is undone", func() bool {
			j.ask("GET /v1/jobs/"+undo.ID, "", &undo)
			return undo.Status != "running" && undo.Status != "queued"
		})
		if all := j.records(); undo.Status != "succeeded" || len(all) != 1 || all[", version 3"] != changedInBulk {
			t.Errorf("undone by %+v, the records are %v", undo, all)
		}
		if jobKills > 1 { // what a short campaign has is on its way before it can be killed
			j.halves(business)
		}
	})
}
