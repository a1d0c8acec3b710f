package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// askerKey is the key under which a context has the request in which a tool is called.
type askerKey struct{}

// call is one call of a tool.
type call struct {
	server *Server
	tool   *tool
	// asker is the request in which the tool is called, or nil where the protocol is not spoken over HTTP.
	asker *http.Request
	ctx   context.Context
	args  body.Node
}

// answered is what the API answered.
type answered struct {
	header http.Header
	node   body.Node
	text   []byte
}

// mostRead is how many bytes of an answer of the API are read: more than it gives.
const mostRead = 32 << 20

// get asks the API for something.
func (c *call) get(path string) (answered, error) {
	return readable(c.ask(http.MethodGet, path, nil, nil))
}

// post asks the API with a body.
func (c *call) post(path string, n body.Node) (answered, error) {
	return readable(c.ask(http.MethodPost, path, &n, nil))
}

// readable makes sure that an answer could be read. That to a write is not held to it.
func readable(a answered, err error) (answered, error) {
	if err == nil && a.node.Kind != body.Object {
		err = tooMuch(len(a.text))
	}
	return a, err
}

// ask makes a request of the API as whoever calls the tool. What the API refuses is an error that carries its problem.
func (c *call) ask(method, path string, n *body.Node, header map[string]string) (a answered, err error) {
	var text io.Reader = http.NoBody
	if n != nil {
		text = bytes.NewReader(body.Append(nil, *n))
	}
	r, err := http.NewRequestWithContext(c.ctx, method, "http://kith/v1/"+path, text)
	if err != nil {
		return a, err
	}
	r.Header.Set("Version", httpapi.Version)
	if n != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if c.asker != nil {
		r.Host, r.TLS, r.RemoteAddr = c.asker.Host, c.asker.TLS, c.asker.RemoteAddr
		r.Header["Authorization"] = c.asker.Header["Authorization"]
	}
	res, err := c.server.API.RoundTrip(r)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	a.header = res.Header
	if a.text, err = io.ReadAll(io.LimitReader(res.Body, mostRead)); err != nil {
		return a, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return a, refusedBy(a.text, res.StatusCode)
	}
	// What has more values than a body may have stays unread; that is no reason to fail where something was written.
	if parsed, err := body.Parse(a.text); err == nil && parsed != nil {
		a.node = *parsed
	}
	return a, nil
}

// Within answers requests by a handler in the same process.
type Within struct{ http.Handler }

// RoundTrip is that of http.RoundTripper.
func (w Within) RoundTrip(r *http.Request) (*http.Response, error) {
	kept := &kept{header: http.Header{}, status: http.StatusOK}
	w.ServeHTTP(kept, r)
	return &http.Response{StatusCode: kept.status, Header: kept.header, Body: io.NopCloser(&kept.text), Request: r}, nil
}

// kept is an answer that is read by us.
type kept struct {
	header http.Header
	status int
	text   bytes.Buffer
}

func (k *kept) Header() http.Header                { return k.header }
func (k *kept) WriteHeader(status int)             { k.status = status }
func (k *kept) Write(text []byte) (n int, _ error) { return k.text.Write(text) }

// refusal is a problem of the API's, less what a model has no use for.
type refusal struct {
	node   body.Node
	status int
}

func (r *refusal) Error() string { return string(body.Append(nil, r.node)) }

// untold are the members of a problem that say nothing by which a call can be mended.
var untold = []string{"type", "title", "status"}

func refusedBy(text []byte, status int) error {
	n, err := body.Parse(text)
	if err != nil || n == nil || n.Kind != body.Object {
		return fmt.Errorf("the API answered %d", status)
	}
	r := &refusal{status: status, node: body.Node{Kind: body.Object}}
	for _, m := range n.Members {
		if slices.Contains(untold, m.Name) || m.Name == "request_id" && status < http.StatusInternalServerError {
			continue
		}
		r.node.Members = append(r.node.Members, m)
	}
	return r
}

// rename calls the fields of a problem by the names that they have among the arguments of the tool.
func rename(err error, as func(field string) string) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	errs, ok := r.node.Get("errors")
	if !ok {
		return err
	}
	for _, e := range errs.Items {
		for i, m := range e.Members {
			if m.Name == "field" {
				e.Members[i].Value.Text = as(m.Value.Text)
			}
		}
	}
	return err
}

// failure renders an error for a model.
func failure(err error) []byte {
	var r *refusal
	if errors.As(err, &r) {
		return body.Append(nil, r.node)
	}
	p := problem.As(err)
	if p == nil {
		p = problem.New(problem.Internal, "Something went wrong on our side. Try again in a moment.")
	}
	text, err := json.Marshal(struct {
		Code   problem.Code    `json:"code"`
		Detail string          `json:"detail"`
		Errors []problem.Field `json:"errors,omitempty"`
	}{p.Code, p.Detail, p.Fields})
	if err != nil {
		return []byte(`{}`)
	}
	return text
}

func tooMuch(size int) error {
	return problem.New(problem.PayloadTooLarge, "The answer would have %d bytes, which is more than %d. Ask for fewer records (limit) or "+
		"fewer fields (fields).", size, mostAnswer)
}

// unreadable is the error of the protocol for a resource that cannot be read.
func unreadable(uri, text string) error {
	if strings.Contains(text, `"code":"`+string(problem.NotFound)+`"`) {
		return mcp.ResourceNotFoundError(uri)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The resource cannot be read", Data: json.RawMessage(text)}
}

// Nodes made by hand.

func text(s string) body.Node { return body.Node{Kind: body.String, Text: s} }

func list(items []body.Node) body.Node { return body.Node{Kind: body.Array, Items: items} }

func truth(b bool) body.Node { return body.Node{Kind: body.Bool, Text: fmt.Sprint(b)} }

func member(name string, value body.Node) body.Member { return body.Member{Name: name, Value: value} }

func node(members ...body.Member) body.Node { return body.Node{Kind: body.Object, Members: members} }

func texts(all []string) body.Node {
	items := make([]body.Node, len(all))
	for i, s := range all {
		items[i] = text(s)
	}
	return list(items)
}

// put puts a value in place of the one that a member has, if there is such a member.
func put(n body.Node, name string, value body.Node) body.Node {
	n.Members = slices.Clone(n.Members)
	for i := range n.Members {
		if n.Members[i].Name == name {
			n.Members[i].Value = value
		}
	}
	return n
}

// memberNames are those of the members of an object.
func memberNames(n body.Node) (all []string) {
	for _, m := range n.Members {
		all = append(all, m.Name)
	}
	return all
}

// bare leaves out what is absent: null, and lists and objects without anything in them. Texts longer than the bound are cut.
func bare(n body.Node, longest int) (body.Node, bool) {
	switch n.Kind {
	case body.Null:
		return n, false
	case body.String:
		if rest, whole := strings.CutSuffix(n.Text, ".000000Z"); whole && len(rest) == len("2026-01-01T00:00:00") {
			n.Text = rest + "Z"
		}
		if runes := []rune(n.Text); longest > 0 && len(runes) > longest {
			n.Text = fmt.Sprintf("%s… (%d more characters; get tells all)", string(runes[:longest]), len(runes)-longest)
		}
		return n, true
	case body.Array:
		var items []body.Node
		for _, item := range n.Items {
			if b, ok := bare(item, longest); ok {
				items = append(items, b)
			}
		}
		n.Items = items
		return n, len(items) > 0
	case body.Object:
		var members []body.Member
		for _, m := range n.Members {
			if b, ok := bare(m.Value, longest); ok {
				members = append(members, member(m.Name, b))
			}
		}
		n.Members = members
		return n, len(members) > 0
	}
	return n, true
}

// longestText is how many characters of a text are told where many records are.
const longestText = 300

// telling are the fields by which a record is told from others, as a search can be asked for them.
func telling(k *record.Kind) []string {
	fields := []string{"id"}
	for _, name := range slices.Concat(k.Summary.NamedBy, k.Summary.Telling) {
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields
}

// brief is a record cut to its telling fields, those named besides, and what is no field of it, such as a secret that is shown once.
func brief(k *record.Kind, record body.Node, besides []string) body.Node {
	out := node()
	tells := telling(k)
	for _, m := range record.Members {
		if m.Name == "version" || slices.Contains(tells, m.Name) || slices.Contains(besides, m.Name) || k.Field(m.Name) == nil {
			if value, ok := bare(m.Value, longestText); ok {
				out.Members = append(out.Members, member(m.Name, value))
			}
		}
	}
	return out
}

// kindNamed finds a resource by its name, or says which there are.
func kindNamed(name, argument, operation string) (*record.Kind, error) {
	var names []string
	for _, k := range record.Kinds() {
		if operation != "" && !k.Offers(operation) {
			continue
		}
		if k.Name == name || k.Plural == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return nil, problem.Wrong(argument, "not_allowed",
		"must be a resource that can be asked for this"+problem.DidYouMean(name, names), names...)
}

// kindOf finds the resource of an id.
func kindOf(id, argument string) (*record.Kind, error) {
	if name, _, err := schema.RecordOf(id); err == nil {
		if k := record.KindOf(name); k != nil {
			return k, nil
		}
	}
	return nil, problem.Wrong(argument, "invalid_id",
		"must be the id of a record, such as contact_01h455vb4pex5vsknk084sn02q; search finds ids")
}
