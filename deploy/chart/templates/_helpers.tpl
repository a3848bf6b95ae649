{{- define "crdlab.name" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}
{{- else if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "crdlab.selector" -}}
app.kubernetes.io/name: crdlab
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "crdlab.metadata" -}}
name: {{ include "crdlab.name" . }}
labels:
  {{- include "crdlab.selector" . | nindent 2 }}
{{- end }}

{{- define "crdlab.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- /* Only one process can open the file of a file store. */ -}}
{{- define "crdlab.scales" -}}
{{- if and .Values.autoscaling.enabled (ne .Values.store.type "file") }}true{{ end }}
{{- end }}

{{- define "crdlab.replicas" -}}
{{- if eq .Values.store.type "file" }}1{{ else if .Values.autoscaling.enabled }}{{ .Values.autoscaling.minReplicas }}{{ else }}{{ .Values.replicas }}{{ end }}
{{- end }}

{{- define "crdlab.storeSecret" -}}
{{- .Values.store.postgresql.existingSecret | default (printf "%s-store" (include "crdlab.name" .)) }}
{{- end }}

{{- define "crdlab.storeSecretKey" -}}
{{- if .Values.store.postgresql.existingSecret }}{{ .Values.store.postgresql.existingSecretKey }}{{ else }}url{{ end }}
{{- end }}

{{- /* Checks what the schema cannot express. */ -}}
{{- define "crdlab.check" -}}
{{- with .Values.store }}
{{- if and (eq .type "postgresql") (eq (empty .postgresql.url) (empty .postgresql.existingSecret)) }}
{{- fail "store.type postgresql needs either store.postgresql.url or store.postgresql.existingSecret" }}
{{- end }}
{{- if and (ne .type "postgresql") .postgresql.url }}
{{- fail "store.postgresql.url needs store.type postgresql" }}
{{- end }}
{{- end }}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) }}
{{- fail "autoscaling.minReplicas must not exceed autoscaling.maxReplicas" }}
{{- end }}
{{- end }}
