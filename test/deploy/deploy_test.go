// Package deploy_test proves what stands in deploy/ with what others wrote: the chart is rendered by Helm, for each kind of database,
// and what comes out is held by kubeconform to the OpenAPI documents of Kubernetes itself. It is a module of its own, so that kith
// depends on none of them. scripts/deploy-test runs it.
package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const chart = "../../deploy/helm/kith"

// run runs a program that scripts/deploy-test has built, and gives all that it says.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	dir := os.Getenv("KITH_TEST_PROGRAMS")
	if dir == "" {
		t.Fatal("KITH_TEST_PROGRAMS is not set: run scripts/deploy-test")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, name), args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+t.TempDir(), "HELM_CONFIG_HOME="+t.TempDir(), "HELM_DATA_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const secretKey = "secretKey.value=kith_key_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// installations are the ways in which the chart is used, and what must come out of them.
var installations = map[string]struct{ set, kinds []string }{
	"sqlite": {[]string{"database.kind=sqlite"}, []string{"Service", "Service", "StatefulSet"}},
	"postgres": {
		[]string{"database.url=postgres://kith:secret@db:5432/kith", secretKey, "origin=https://crm.example.com"},
		[]string{"Deployment", "Job", "PodDisruptionBudget", "Secret", "Service", "Service"},
	},
	"citus with everything": {
		[]string{
			"database.kind=citus", "database.existingSecret=db", "secretKey.existingSecret=key", "replicas=3",
			"ingress.enabled=true", "ingress.className=nginx", "ingress.tlsSecretName=tls",
			"env.KITH_RATE_LIMIT=50", "envFrom[0].secretRef.name=mail", "imagePullSecrets[0].name=registry",
			"podAnnotations.a=b", "nodeSelector.disk=ssd", "tolerations[0].key=a",
			"service.annotations.c=d", "ingress.annotations.e=f",
		},
		[]string{"Deployment", "Ingress", "Job", "PodDisruptionBudget", "Service", "Service"},
	},
	"one server": {
		[]string{"database.existingSecret=db", "secretKey.existingSecret=key", "replicas=1", "metrics.enabled=false"},
		[]string{"Deployment", "Job", "Service"},
	},
}

func TestTheChartIsWhatKubernetesTakes(t *testing.T) {
	schemas := schemasOfKubernetes(t)
	for name, made := range installations {
		t.Run(name, func(t *testing.T) {
			args := []string{"--set", strings.Join(made.set, ",")}
			if out, err := run(t, "helm", append([]string{"lint", "--strict", chart}, args...)...); err != nil {
				t.Fatalf("helm lint: %v\n%s", err, out)
			}
			args = append([]string{"template", "crm", chart, "--namespace", "crm", "--kube-version", "1.33.0"}, args...)
			manifests, err := run(t, "helm", args...)
			if err != nil {
				t.Fatalf("helm template: %v\n%s", err, manifests)
			}
			file := filepath.Join(t.TempDir(), "manifests.yaml")
			if err := os.WriteFile(file, []byte(manifests), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := run(t, "kubeconform", "-strict", "-summary",
				"-schema-location", schemas+"/{{.ResourceKind}}{{.KindSuffix}}.json", file)
			if err != nil || !strings.Contains(out, "Skipped: 0") {
				t.Errorf("kubeconform: %v\n%s\n%s", err, out, manifests)
			}
			if got := kinds(t, manifests); !slices.Equal(got, made.kinds) {
				t.Errorf("the chart makes %v, want %v", got, made.kinds)
			}
			for _, must := range []string{"path: /readyz", "path: /healthz", "name: KITH_DB", "readOnlyRootFilesystem: true"} {
				if !strings.Contains(manifests, must) {
					t.Errorf("the manifests lack %s", must)
				}
			}
		})
	}
}

// kinds are those of the manifests, in their order.
func kinds(t *testing.T, manifests string) (all []string) {
	t.Helper()
	for _, one := range strings.Split(manifests, "\n---\n") {
		var object struct{ Kind string }
		if err := yaml.Unmarshal([]byte(strings.TrimPrefix(one, "---\n")), &object); err != nil {
			t.Fatal(err)
		}
		if object.Kind != "" {
			all = append(all, object.Kind)
		}
	}
	slices.Sort(all)
	return all
}

func TestValuesThatCannotWorkAreRefused(t *testing.T) {
	for says, set := range map[string]string{
		"database.url or database.existingSecret must say": "database.kind=postgres," + secretKey,
		"secretKey.value or secretKey.existingSecret must": "database.url=postgres://db/kith",
		"database":  "database.kind=mysql",
		"replicas":  "database.kind=sqlite,replicas=0",
		"stopDelay": "database.kind=sqlite,stopDelay=long",
	} {
		out, err := run(t, "helm", "template", "crm", chart, "--kube-version", "1.33.0", "--set", set)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", set, err, out)
		}
	}
}

// schemasOfKubernetes writes the schema of every kind that the chart can make into a folder, in the form that kubeconform reads: it
// would fetch them otherwise. They come from the OpenAPI document of Kubernetes that the library of its command line has for its own
// tests.
func schemasOfKubernetes(t *testing.T) string {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/cli-runtime").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), "artifacts", "openapi", "swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Definitions map[string]map[string]any
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{
		"core.v1.Secret", "core.v1.Service", "apps.v1.Deployment", "apps.v1.StatefulSet", "batch.v1.Job",
		"policy.v1.PodDisruptionBudget", "networking.v1.Ingress",
	} {
		parts := strings.Split(name, ".")
		suffix := parts[1]
		if parts[0] != "core" {
			suffix = parts[0] + "-" + suffix
		}
		text, err := json.Marshal(strictly(map[string]any{"$ref": definitions + "io.k8s.api." + name}, document.Definitions))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.ToLower(parts[2])+"-"+suffix+".json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const definitions = "#/definitions/"

// strictly puts schemas in the place of what names them, and lets objects have no other properties than those they list.
func strictly(v any, all map[string]map[string]any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = strictly(v[i], all)
		}
		return v
	case map[string]any:
		if to, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(to, definitions)
			if all[name] == nil {
				panic(name + " is not known")
			}
			return strictly(copied(all[name]), all)
		}
		if v["format"] == "int-or-string" {
			return map[string]any{"type": []any{"integer", "string"}}
		}
		delete(v, "format")
		delete(v, "default")
		if _, lists := v["properties"]; lists {
			v["additionalProperties"] = false
		}
		for key, value := range v {
			if key == "properties" { // whose keys are names, not keywords
				for name, of := range value.(map[string]any) {
					value.(map[string]any)[name] = strictly(of, all)
				}
				continue
			}
			v[key] = strictly(value, all)
		}
		return v
	}
	return v
}

func copied(schema map[string]any) map[string]any {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	var again map[string]any
	if err := json.Unmarshal(text, &again); err != nil {
		panic(err)
	}
	return again
}
