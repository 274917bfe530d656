import { stringify } from 'yaml';
import type { SettingRow } from '../src/settings/rows.ts';

/** The page of all settings, as Markdown. */
export function toSettingsPage(rows: readonly SettingRow[]): string {
  const sections = [...Map.groupBy(rows, toSection)].map(([section, members]) =>
    [
      `## ${section === '' ? 'The bridge itself' : `\`${section}\``}`,
      '',
      ...members.map(toEntry),
    ].join('\n'),
  );
  return `${[pageIntroduction, ...sections].join('\n')}`;
}

/** A YAML file with every setting at its default, and its meaning as a comment. */
export function toDefaultConfig(rows: readonly SettingRow[]): string {
  const sections = [...Map.groupBy(rows, toSection)].map(([section, members]) => {
    const lines = members.flatMap((row) => toConfigLines(row, section === '' ? '' : '  '));
    return section === '' ? lines : [`${section}:`, ...lines];
  });
  return [configIntroduction, ...sections.flat()].join('\n');
}

const pageIntroduction = `# Settings

Generated from \`src/settings/schema.ts\` by \`node scripts/generate-docs.ts\`; do not edit.

Settings come from a YAML file (\`config/default.yaml\`, or the one that \`--config\` or \`CONFIG\` names). Environment variables override it.
An empty variable counts as not set. Lists in variables are separated by commas.
A secret can come from a file: append \`_FILE\` to the variable and give the path. The file is read again when it changes, and on SIGHUP ([security.md](security.md#secrets)).
A wrong setting, or an unknown one in the file, stops the start and says what is allowed. A variable that resembles a setting causes a warning.
\`scim-bridge settings\` prints the settings of the running bridge without secrets; with \`--here\` those of this shell.
`;

const configIntroduction = `# Every setting at its default; docs/settings.md says more.
# Generated from src/settings/schema.ts by "npm run docs": copy this file to change it.
`;

function toSection({ path }: SettingRow): string {
  return path.length > 1 ? (path[0] ?? '') : '';
}

function toEntry(row: SettingRow): string {
  const variables = [row.variable, row.fileVariable].filter((name) => name !== undefined);
  const fallback = row.default === undefined ? 'not set' : `\`${toYamlValue(row.default)}\``;
  return [
    `### \`${row.name}\``,
    '',
    row.description,
    '',
    `- Variable: ${variables.map((name) => `\`${name}\``).join(' or ')}`,
    `- Default: ${fallback}`,
    `- Allowed: ${row.allowed}`,
    '',
  ].join('\n');
}

function toConfigLines(row: SettingRow, indent: string): string[] {
  const key = row.path.at(-1);
  const comment = toComment(row.description, indent);
  // A secret is better kept out of files that are copied about, so its line is only a reminder.
  if (row.default === undefined || row.secret === 'value') {
    return [comment, `${indent}# ${key}: (${row.allowed})`, ''];
  }
  return [comment, `${indent}${key}: ${toYamlValue(row.default)}`, ''];
}

function toYamlValue(value: unknown): string {
  // One line, because nothing of a second one would be indented.
  return stringify(value, { lineWidth: 0 }).trim();
}

function toComment(text: string, indent: string): string {
  return text.replace(/(.{1,95})(?: |$)/g, `${indent}# $1\n`).trimEnd();
}
