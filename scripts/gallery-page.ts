import { type Gate, gates } from '../src/cli/gallery/gates.ts';

/** The checks of every gate with their sources as Markdown tables, for docs/gallery.md. */
export function toGalleryTables(): string {
  return Object.entries(gates)
    .map(([name, gate]) => `### \`${name}\`\n\n${toTable(gate)}`)
    .join('\n\n');
}

function toTable({ title, checks }: Gate): string {
  const rows = checks.map(({ id, title: what, source: { document, part, url } }) =>
    toRow([`\`${id}\``, what, `[${document}](${url}): ${part}`]),
  );
  return [`${title}.`, '', '| check | what | source |', '|---|---|---|', ...rows].join('\n');
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
