// Writes what is derived from the code: all settings, the tables of metrics, of the log, of the commands and of the gates, the operations of the client and their types,
// the requests of operators, the PrometheusRule. A test fails when it is stale.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { toOpsDocument } from '../src/ops/document.ts';
import { toDefaultConfig, toSettingsPage } from '../src/settings/document.ts';
import { settingRows } from '../src/settings/rows.ts';
import { toLogTable } from '../src/telemetry/log-lines.ts';
import { toMetricsTable } from '../src/telemetry/metric-definitions.ts';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toOperationsPage } from '../src/upstream/operations/operations-page.ts';
import { toTypeModules } from './client-types/to-modules.ts';
import { toCommandsTable } from './command-page.ts';
import { toGalleryTables } from './gallery-page.ts';
import { toOpsPage } from './openapi/ops-page.ts';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs/settings.md'), toSettingsPage(settingRows));
writeFileSync(join(root, 'config/default.yaml'), toDefaultConfig(settingRows));

const operations = join(root, 'docs/operations.md');
const page = readFileSync(operations, 'utf8');
const metrics = /(?<=<!-- metrics:.*-->\n)[\s\S]*(?=<!-- end of metrics -->)/;
const log = /(?<=<!-- log:.*-->\n)[\s\S]*(?=<!-- end of log -->)/;
const written = page
  .replace(metrics, () => `\n${toMetricsTable()}\n\n`)
  .replace(log, () => `\n${toLogTable()}\n\n`);
writeFileSync(operations, written);

const commandLine = join(root, 'docs/command-line.md');
const commands = /(?<=<!-- commands:.*-->\n)[\s\S]*(?=<!-- end of commands -->)/;
const lines = readFileSync(commandLine, 'utf8');
writeFileSync(
  commandLine,
  lines.replace(commands, () => `\n${toCommandsTable()}\n\n`),
);

const gallery = join(root, 'docs/gallery.md');
const checks = /(?<=<!-- checks:.*-->\n)[\s\S]*(?=<!-- end of checks -->)/;
const described = readFileSync(gallery, 'utf8');
writeFileSync(
  gallery,
  described.replace(checks, () => `\n${toGalleryTables()}\n\n`),
);

writeFileSync(join(root, 'docs/client-operations.md'), toOperationsPage(operationGroups));

writeFileSync(join(root, 'docs/ops-api.md'), toOpsPage());
writeFileSync(join(root, 'docs/ops-openapi.json'), `${JSON.stringify(toOpsDocument(), null, 2)}\n`);

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

const folder = join(root, 'src/client/operations');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, text] of toTypeModules(operationGroups)) writeFileSync(join(folder, name), text);
