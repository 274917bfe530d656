import type { Operation, OperationGroup } from './operation.ts';

/**
 * Prints every operation of the client with its call and its peculiarities, as Markdown for
 * client-operations.md of the client's package.
 */
export function toOperationsPage(groups: Readonly<Record<string, OperationGroup>>): string {
  const rows = Object.values(groups).flatMap((group) => Object.values(group));
  const added = rows.filter(isFieldNote).length;
  const counts = `${rows.length - added} are documented, ${added} are known from the running service only.`;
  const sections = Object.entries(groups).map(([name, group]) => toSection(name, group));
  return [`${introduction}\n${counts}\n`, ...sections].join('\n');
}

const introduction = `# Operations of the client

Generated from the rows in \`src/upstream/operations/\` by \`npm run build:client\`; do not edit.

\`client.<group>.<operation>({ path, query, body })\` for each line. SCIM paths follow the base URL, all others \`/api/latest\` or the
version that is set. The types of a call, and \`scim-bridge api <group>.<operation> --help\`, say what each takes.

| remark | meaning |
|---|---|
| beta, deprecated | as the service flags it |
| undocumented | its documents do not describe it; it is known from the running service |
| pages by … | a list that \`client.paginate\` goes through: by \`offset\`, \`start-index\`, \`last-user-id\` or \`start-position\` |
| form | takes a file: the body is sent as multipart |
| JSON or form | a form only when a file is given |
| body | a DELETE that takes a body |
| redirect | with \`redirect: true\` the answer is where it leads |
| everything | without any condition it changes all there is, and is sent only with \`everything: true\` beside \`body\` |
| once | a second one may do more than the first, so after a lost answer none is sent |
`;

function toSection(name: string, group: OperationGroup): string {
  const lines = Object.entries(group).map(
    ([operation, row]) =>
      `| \`${operation}\` | \`${row.method} ${row.path}\` | ${toCell(row.about)} | ${toRemarks(row).join(', ')} |`,
  );
  return [
    `## \`${name}\``,
    '',
    '| operation | call | use | remarks |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function toRemarks(row: Operation): string[] {
  const remarks = [
    row.stage,
    row.deprecated !== undefined &&
      `${row.deprecated.map((name) => `\`${name}\``).join(', ')} deprecated`,
    isFieldNote(row) && 'undocumented',
    row.paging !== undefined && `pages by ${row.paging}`,
    row.content === 'multipart' && 'form',
    row.content === 'json-or-multipart' && 'JSON or form',
    row.method === 'DELETE' && row.body !== undefined && 'body',
    row.response.kind === 'redirect' && 'redirect',
    row.conditions !== undefined && 'everything',
    row.repeat === 'unsafe' && 'once',
  ];
  return remarks.filter((remark) => typeof remark === 'string');
}

function isFieldNote({ source }: Operation): boolean {
  return source === 'field-notes';
}
