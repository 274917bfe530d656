import { metricDefinitions } from './metric-definitions.ts';

/** Every metric of the bridge itself as a Markdown table, for docs/operations.md. */
export function toMetricsTable(): string {
  const rows = Object.values(metricDefinitions).map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
