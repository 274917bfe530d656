import type { Fields, Operation } from '../../upstream/operations/operation.ts';
import { isFileType } from '../../upstream/operations/part.ts';

/** Describes the parameters and the answer of an operation, from its row. */
export function toOperationHelp(operation: Operation): string {
  const { id, about, method, path, pathParameters, query, body, conditions, paging } = operation;
  const required = Object.entries(pathParameters ?? {}).map(([name, type]) => [`${name}*`, type]);
  const sections = [
    `Usage: scim-bridge api ${id}${toUsage(operation)}`,
    `${method} ${path}${toNotes(operation)}`,
    about,
    toTable('--path', Object.fromEntries(required)),
    toTable('--query', query),
    toTable(isForm(operation) ? '--body, files with --file' : '--body', body, operation.deprecated),
    conditions === undefined
      ? ''
      : `Without ${conditions.join(', ')} it changes all there is, and needs --everything.`,
    `Answer: ${toAnswer(operation)}`,
    paging === undefined ? '' : `--paginate reads the whole list (${paging}).`,
    Object.keys({ ...pathParameters, ...query, ...body }).length === 0 ? '' : '* required',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** The options that a call needs. */
function toUsage(operation: Operation): string {
  const { pathParameters = {}, query = {}, body = {} } = operation;
  const paths = Object.keys(pathParameters).map((name) => ` --path ${name}=…`);
  const queries = listRequired(query).map((name) => ` --query ${name}=…`);
  const files = listRequired(body).filter((name) => isFileType(body[`${name}*`]));
  const fields = listRequired(body).filter((name) => !isFileType(body[`${name}*`]));
  const json = fields.map((name) => `"${name}":…`).join(',');
  return [
    ...paths,
    ...queries,
    ...(json === '' ? [] : [` --body '{${json}}'`]),
    ...files.map((name) => ` --file ${name}=@…`),
  ].join('');
}

function listRequired(fields: Fields): string[] {
  return Object.keys(fields).flatMap((name) => (name.endsWith('*') ? [name.slice(0, -1)] : []));
}

function isForm({ content }: Operation): boolean {
  return content === 'multipart' || content === 'json-or-multipart';
}

function toNotes({ stage, source }: Operation): string {
  const notes = [
    ...(stage === undefined ? [] : [stage]),
    ...(source === 'field-notes' ? ['not in the documents of the service'] : []),
  ];
  return notes.length === 0 ? '' : `   (${notes.join(', ')})`;
}

function toTable(
  title: string,
  fields: Fields | undefined,
  deprecated: readonly string[] = [],
): string {
  const rows = Object.entries(fields ?? {});
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, type]) => {
    const note = deprecated.includes(name) ? '   (deprecated)' : '';
    return `  ${name.padEnd(width)}  ${type}${note}`;
  });
  return [`${title}:`, ...lines].join('\n');
}

function toAnswer({ response: { kind, fields } }: Operation): string {
  if (kind === 'none') return 'nothing';
  const what = kind === 'array' ? 'a list of objects' : 'an object';
  return fields.length === 0 ? what : `${what} with ${fields.join(', ')}`;
}
