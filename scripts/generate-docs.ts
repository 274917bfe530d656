// Writes what is derived from the code: all settings, the table of the metrics, the operations of the client. A test fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toDefaultConfig, toSettingsPage } from '../src/settings/document.ts';
import { listSettingRows } from '../src/settings/rows.ts';
import { settingsSchema } from '../src/settings/schema.ts';
import { toMetricsTable } from '../src/telemetry/metrics-table.ts';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toOperationsPage } from '../src/upstream/operations/operations-page.ts';

const root = join(import.meta.dirname, '..');
const rows = listSettingRows(settingsSchema);
writeFileSync(join(root, 'docs/settings.md'), toSettingsPage(rows));
writeFileSync(join(root, 'config/default.yaml'), toDefaultConfig(rows));

const operations = join(root, 'docs/operations.md');
const page = readFileSync(operations, 'utf8');
const table = /(?<=<!-- metrics:.*-->\n)[\s\S]*(?=<!-- end of metrics -->)/;
writeFileSync(operations, page.replace(table, `\n${toMetricsTable()}\n\n`));

writeFileSync(join(root, 'docs/client-operations.md'), toOperationsPage(operationGroups));
