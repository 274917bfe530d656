import type { ExplainedField, ExplainedLink, Explanation } from '../schemas/resources.ts';

/** An explanation as an operator reads it in a terminal. */
export function toExplanationText(explanation: Explanation): string {
  const { members, admins, groups, more } = explanation;
  const lines = [
    ...toHeadLines(explanation),
    '',
    ...toTable([FIELD_HEAD, ...explanation.fields.map(toFieldRow)]),
    ...explanation.fields.flatMap(({ field, note }) => (note ? [`${field}: ${note}`] : [])),
    ...(members
      ? [
          '',
          `Members: ${members.desired} wanted, ${members.observed} seen, ${members.pending} waiting`,
        ]
      : []),
    ...toLinkLines('Admins', admins, more),
    ...toLinkLines('Groups', groups, more),
  ];
  return `${lines.join('\n')}\n`;
}

function toHeadLines({ type, name, id, upstream, managed, ...rest }: Explanation): string[] {
  const { deleted, version, seen, dueAt, problem } = rest;
  return [
    `${type} ${name}${deleted ? ' (deleted)' : ''}`,
    `id ${id}, version ${version}, ${upstream === null ? 'not known to the service' : `in the service ${upstream}`}`,
    managed === 'no' ? 'not managed: only observed' : `managed, ${managed}`,
    seen === null ? 'never seen in the service' : `last seen ${seen.at} by ${seen.by}`,
    ...(dueAt === null ? [] : [`due ${dueAt}`]),
    ...(problem === null ? [] : [`last problem: ${problem.words} (${problem.code})`]),
  ];
}

const FIELD_HEAD = ['field', 'wanted', 'in the service', 'state', 'from'];
const LINK_HEAD = ['name', 'wanted', 'in the service', 'state', 'from'];

function toFieldRow({ field, desired, observed, standing, from }: ExplainedField): string[] {
  return [field, toShown(desired), toShown(observed), standing, from ?? '-'];
}

function toLinkLines(
  title: string,
  links: readonly ExplainedLink[] | undefined,
  more: number,
): string[] {
  if (links === undefined) return [];
  if (links.length === 0) return ['', `${title}: none`];
  const rows = links.map(({ name, desired, observed, standing, from }) => [
    ...[name, toShown(desired), toShown(observed), standing, from ?? '-'],
  ]);
  const rest = more > 0 ? [`and ${more} more`] : [];
  return ['', `${title}:`, ...toTable([LINK_HEAD, ...rows]), ...rest];
}

function toShown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Columns as wide as their widest entry; the last one is not filled up. */
function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
