package main

import (
	"flag"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/testworld"
)

// What is handed out to run kith with names variables that there are, and metrics that there are.
func TestDeploymentFilesNameWhatThereIs(t *testing.T) {
	known := map[string]bool{}
	serving, _ := find([]string{"serve"})
	options(*serving).VisitAll(func(f *flag.Flag) { known[variable(f.Name)] = true })
	for _, file := range []string{"../../Dockerfile", "../../deploy/compose.yaml", "../../deploy/kith.service"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`KITH_[A-Z_]+`).FindAllString(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s sets nothing", file)
		}
		for _, name := range found {
			if !known[name] && name != "KITH_NAME" { // by which the unit explains the form
				t.Errorf("%s names %s, which kith serve does not know", file, name)
			}
		}
	}
	alerts, err := os.ReadFile("../../deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	page := ""
	for _, engine := range testworld.Engines {
		h, err := handler(t.Context(), testworld.Engine(t, testworld.Open(t, testworld.Database(t, engine))),
			slog.New(slog.DiscardHandler), settings{address: "http://127.0.0.1:8080"})
		if err != nil {
			t.Fatal(err)
		}
		page += string(h.metricsPage())
	}
	operations, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`kith_[a-z_]+`).FindAllString(string(alerts), -1) {
		if !strings.Contains(page, "# TYPE "+strings.TrimSuffix(name, "_bucket")+" ") {
			t.Errorf("an alert goes by %s, which there is not", name)
		}
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(alerts), -1) {
		if !strings.Contains(string(operations), "`"+alert[1]+"`") {
			t.Errorf("docs/operations.md does not tell what to do about %s", alert[1])
		}
	}
}
