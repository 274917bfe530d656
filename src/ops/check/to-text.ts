import { toCount } from '../../domain/text.ts';
import type { CheckReport, CheckResult } from './report.ts';

/** The report as lines for a terminal: what has to work, then the sum. Pure. */
export function toText(report: CheckReport): string {
  const { service, checks, calls } = report;
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const warned = checks.filter(({ status }) => status === 'warning').length;
  const blocks = [
    [`Service  ${service.url} (REST under /api/${service.apiVersion})`],
    toCheckLines(checks),
    [`${toCount(failed, 'failure')}, ${toCount(warned, 'warning')}, ${toCount(calls, 'call')}.`],
  ];
  return `${blocks.map((lines) => lines.map(toPlain).join('\n')).join('\n\n')}\n`;
}

/** Names and words of the service could otherwise command the terminal. */
function toPlain(line: string): string {
  return line.replace(/\p{Cc}+/gu, ' ');
}

function toCheckLines(checks: readonly CheckResult[]): string[] {
  const width = Math.max(...checks.map(({ title }) => title.length));
  return checks.flatMap(({ status, title, detail, remedy }) => {
    const line = `${status.padEnd(statusWidth)}  ${title.padEnd(width)}  ${detail}`;
    const indent = ' '.repeat(statusWidth + width + 4);
    return remedy === undefined ? [line] : [line, `${indent}→ ${remedy}`];
  });
}

const statusWidth = 'warning'.length;
