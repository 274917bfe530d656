// Writes what is derived from the schema of the settings. A test fails when it is stale.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toDefaultConfig, toSettingsPage } from '../src/settings/document.ts';
import { listSettingRows } from '../src/settings/rows.ts';
import { settingsSchema } from '../src/settings/schema.ts';

const root = join(import.meta.dirname, '..');
const rows = listSettingRows(settingsSchema);
writeFileSync(join(root, 'docs/settings.md'), toSettingsPage(rows));
writeFileSync(join(root, 'config/default.yaml'), toDefaultConfig(rows));
