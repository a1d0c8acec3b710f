package openapi

import (
	"cmp"

	"github.com/kith-crm/kith/internal/record"
)

// Build makes the document.
func Build(a API) ([]byte, error) {
	b := &builder{
		business: a.Business, sent: map[string]bool{}, taking: map[string]bool{}, options: map[string]string{}, items: map[string]string{},
		bases: map[string]Object{},
	}
	b.shared()
	b.problems(a.Problems)
	b.merges()
	b.common()
	business, patch := b.members("Business", &record.Business.Shape, record.Business.Leaves), b.ownBusiness()
	b.base("BusinessBase", shared(patch, business))
	b.add(Record(record.Business), b.closed(business, names(business), "BusinessBase"))
	b.add(Patch(record.Business), b.closed(patch, nil, "BusinessBase"))
	b.add("Me", b.me())
	b.bodies()
	b.reading()
	b.figures()
	b.commonSearch()
	b.auditLog()
	b.jobs()
	b.imports()
	b.webhooks()
	b.person()
	for _, k := range record.Kinds() {
		b.records(k)
	}
	b.events()
	paths := b.paths(a)
	document := object(
		"openapi", "3.1.0",
		"info", object(
			"title", "kith", "version", a.Version,
			"summary", "A CRM for many businesses, as an API.",
			"description", description,
			"contact", object("name", "kith"),
			"license", object("name", "All rights reserved", "identifier", "LicenseRef-all-rights-reserved"),
		),
		"servers", []Object{object("url", cmp.Or(a.Origin, "/"), "description", "This server.")},
		"security", []Object{{{"oauth2", []string{}}}, {{"token", []string{}}}},
		"tags", tags(a.Operations),
		"paths", paths,
		"webhooks", b.webhookSection(),
		everyAnswer, b.headers(alwaysSent...),
		"components", object(
			"securitySchemes", security(a.Origin),
			"parameters", b.parameters(a),
			"headers", b.headerSchemas(),
			"responses", b.responses,
			"examples", b.examples,
			"requestBodies", b.requests,
			"schemas", b.schemas,
		),
	)
	return appendJSON(nil, b.pruned(document))
}

// records adds the schemas of one resource.
func (b *builder) records(k *record.Kind) {
	res, name := b.of(&k.Resource), Record(&k.Resource)
	b.add(name, b.whole(name, &res.Shape, nil))
	b.written(k)
	b.inputs(k)
	b.rows(k)
	b.searches(k)
	b.batches(k)
	if k.Bulks() {
		b.bulk(k)
	}
	if k.Life.Merges {
		record := object("record", Ref(Written(res)))
		b.add(Merged(res), extended(record, []string{"record", "moved"}, "MergedBeside"))
		b.add(Unmerged(res), extended(record.with("other", Ref(Written(res))), []string{"record", "other", "left"}, "UnmergedBeside"))
	}
	for i := range res.Actions {
		a := &res.Actions[i]
		if len(a.Shape.Tree) > 0 {
			b.add(Arguments(res, a.Name), b.input(Arguments(res, a.Name), &a.Shape, all, true))
		}
	}
}
