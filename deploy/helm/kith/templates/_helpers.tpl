{{- define "kith.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "kith.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kith.labels" -}}
{{ include "kith.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "kith.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "kith.file" -}}
{{- if eq .Values.database.kind "sqlite" }}yes{{ end -}}
{{- end }}

{{/* What every container of kith runs with: the migration needs the database alone. */}}
{{- define "kith.database" -}}
{{- if include "kith.file" . }}
- name: KITH_DB
  value: sqlite:/data/kith.db
{{- else }}
- name: KITH_DB
  valueFrom:
    secretKeyRef:
      {{- if .Values.database.existingSecret }}
      name: {{ .Values.database.existingSecret }}
      key: {{ .Values.database.existingSecretKey }}
      {{- else }}
      name: {{ include "kith.name" . }}
      key: database
      {{- end }}
{{- end }}
{{- end }}

{{- define "kith.env" -}}
{{ include "kith.database" . }}
{{- if or .Values.secretKey.existingSecret .Values.secretKey.value }}
- name: KITH_SECRET_KEY
  valueFrom:
    secretKeyRef:
      {{- if .Values.secretKey.existingSecret }}
      name: {{ .Values.secretKey.existingSecret }}
      key: {{ .Values.secretKey.existingSecretKey }}
      {{- else }}
      name: {{ include "kith.name" . }}
      key: secret-key
      {{- end }}
{{- end }}
- name: KITH_ADDR
  value: ":8080"
{{- if .Values.metrics.enabled }}
- name: KITH_METRICS_ADDR
  value: ":9090"
{{- end }}
{{- with .Values.origin }}
- name: KITH_ORIGIN
  value: {{ . | quote }}
{{- end }}
- name: KITH_STOP_DELAY
  value: {{ .Values.stopDelay | quote }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "kith.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "kith.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What is wrong with the values, told before anything is made. */}}
{{- define "kith.check" -}}
{{- if not (include "kith.file" .) }}
{{- if not (or .Values.database.url .Values.database.existingSecret) }}
{{- fail (printf "database.url or database.existingSecret must say where the database is, because database.kind is %s" .Values.database.kind) }}
{{- end }}
{{- if not (or .Values.secretKey.value .Values.secretKey.existingSecret) }}
{{- fail "secretKey.value or secretKey.existingSecret must give the secret key: all servers need the same one" }}
{{- end }}
{{- end }}
{{- end }}
