import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The table of docs/writes.md: per step and column what follows. */
export type Page = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the table of the page. @throws Error when it has none */
export function readPage(): Page {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/writes.md'), 'utf8');
  const [, section = ''] = text.split(/^## (?=What follows from a failed call|Seats)/m);
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const start = rows.findIndex(([first]) => first === 'step');
  const [head, ...lines] = rows.slice(start);
  if (start < 0 || head === undefined) throw new Error('docs/writes.md has no table of steps');
  return new Map(
    lines.map(([step = '', ...cells]) => [
      step,
      new Map(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
    ]),
  );
}
