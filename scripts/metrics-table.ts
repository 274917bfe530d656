import { listMetrics } from '../src/app/state-metrics.ts';

/** The metrics as a Markdown table, for docs/runbook.md. */
export function toMetricsTable(): string {
  const rows = listMetrics().map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
