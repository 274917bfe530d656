// Writes what is derived from the code and in git: all settings, the tables of metrics, of the log and of the commands, the
// PrometheusRule. A test fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { settingRows } from '../src/settings/rows.ts';
import { toCommandsTable } from './command-page.ts';
import { toMetricsTable } from './metrics-table.ts';
import { toDefaultConfig, toSettingsPage } from './settings-page.ts';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs/settings.md'), toSettingsPage(settingRows));
writeFileSync(join(root, 'config/default.yaml'), toDefaultConfig(settingRows));

writeBetween('docs/runbook.md', 'metrics', toMetricsTable());
writeBetween('docs/command-line.md', 'commands', toCommandsTable());

const rules = parse(readFileSync(join(root, 'config/prometheus/rules.yaml'), 'utf8'));
const prometheusRule = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'scim-bridge', labels: { 'app.kubernetes.io/name': 'scim-bridge' } },
  spec: rules,
};
writeFileSync(
  join(root, 'config/kubernetes/monitoring/prometheus-rule.yaml'),
  `# Written by npm run docs from config/prometheus/rules.yaml.\n${stringify(prometheusRule, { lineWidth: 0 })}`,
);

/** Replaces what a page has between `<!-- name: … -->` and `<!-- end of name -->`. */
function writeBetween(path: string, name: string, text: string): void {
  const marks = new RegExp(`(?<=<!-- ${name}:.*-->\\n)[\\s\\S]*(?=<!-- end of ${name} -->)`);
  const page = readFileSync(join(root, path), 'utf8');
  const written = page.replace(marks, () => `\n${text}\n\n`);
  writeFileSync(join(root, path), written);
}
