import type { Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';

const introduction = `# Operations of the client

Generated from the rows in \`src/upstream/operations/\` by \`npm run build:client\`; do not edit.

\`client.<group>.<operation>({ path, query, body })\` for each line. SCIM paths follow the base URL, all others \`/api/latest\` or the
version that is set. The types of a call, and \`scim-bridge api <group>.<operation> --help\`, say what each takes.
`;

/** Every operation of the client with its call and what to know of it, as Markdown. */
export function toOperationsPage(groups: Readonly<Record<string, OperationGroup>>): string {
  const sections = Object.entries(groups).map(([name, group]) => {
    const rows = Object.entries(group).map(([operation, row]) => {
      const use = [row.about, ...listRemarks(row)].join(' ').replaceAll('|', '\\|');
      return `| \`${operation}\` | \`${row.method} ${row.path}\` | ${use} |`;
    });
    return [`## \`${name}\``, '', '| operation | call | use |', '|---|---|---|', ...rows, ''];
  });
  return [introduction, ...sections.flat()].join('\n');
}

/** What to know of an operation before it is called, a sentence each: for editors, and for the page of operations. */
export function listRemarks(operation: Operation): string[] {
  const { stage, deprecated, repeat, paging, source, conditions, content, response } = operation;
  const remarks = [
    stage && `The service flags it as ${stage}.`,
    deprecated &&
      `The service flags ${deprecated.map((name) => `\`${name}\``).join(', ')} as deprecated.`,
    source === 'field-notes' && 'Known from the running service only, not from its documents.',
    paging && `\`client.paginate\` reads all of it, by ${paging}.`,
    content === 'multipart' && 'The body is sent as a form.',
    content === 'json-or-multipart' && 'The body is sent as a form if it has a file.',
    response.kind === 'redirect' && 'With `redirect: true` the answer is where it leads.',
    conditions && 'Without a condition it needs `everything: true`.',
    repeat === 'unsafe' &&
      'Not repeated after a lost answer: a second one may do more than the first.',
  ];
  return remarks.filter((remark) => typeof remark === 'string');
}
