import { toCount } from '../../domain/text.ts';
import type { CheckReport, CheckResult, GuessResult } from './report.ts';

/** The report as lines for a terminal: what has to work, then the open questions, then the sum. Pure. */
export function toText(report: CheckReport): string {
  const { service, checks, guesses, calls } = report;
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const warned = checks.filter(({ status }) => status === 'warning').length;
  const blocks = [
    [`Service  ${service.url} (REST under /api/${service.apiVersion})`],
    toCheckLines(checks),
    ['What the documents leave open:', ...toGuessLines(guesses)],
    [`${toCount(failed, 'failure')}, ${toCount(warned, 'warning')}, ${toCount(calls, 'call')}.`],
  ];
  return `${blocks.map((lines) => lines.map(toPlain).join('\n')).join('\n\n')}\n`;
}

/** Names and words of the service could otherwise command the terminal. */
function toPlain(line: string): string {
  return line.replace(/\p{Cc}+/gu, ' ');
}

function toCheckLines(checks: readonly CheckResult[]): string[] {
  const width = toWidth(checks.map(({ title }) => title));
  return checks.flatMap(({ status, title, detail, remedy }) => {
    const line = `${status.padEnd(statusWidth)}  ${title.padEnd(width)}  ${detail}`;
    const indent = ' '.repeat(statusWidth + width + 4);
    return remedy === undefined ? [line] : [line, `${indent}→ ${remedy}`];
  });
}

const statusWidth = 'warning'.length;
const verdictWidth = 'confirmed'.length;
const verdicts = ['refuted', 'unknown', 'confirmed'] as const;

/** Refuted guesses come first, since only they ask for something. */
function toGuessLines(guesses: readonly GuessResult[]): string[] {
  const width = toWidth(guesses.map(({ guess }) => guess));
  return verdicts.flatMap((wanted) =>
    guesses.filter(({ verdict }) => verdict === wanted).map((result) => toGuessLine(result, width)),
  );
}

function toGuessLine({ verdict, guess, observed, setting, value }: GuessResult, width: number) {
  const advice = value === undefined ? setting : `set ${setting}: ${value}`;
  const notes = [observed, advice].filter((note) => note !== undefined).join('; ');
  return `${verdict.padEnd(verdictWidth)}  ${guess.padEnd(width)}  ${notes}`.trimEnd();
}

function toWidth(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}
