import type { Fields, Operation } from '../../upstream/operations/operation.ts';
import { isFileType } from '../../upstream/operations/part.ts';

/** Describes the parameters and the answer of an operation, from its row. */
export function toOperationHelp(operation: Operation): string {
  const { id, about, method, path, pathParameters = {}, query, body, conditions } = operation;
  const { stage, source, paging, content, deprecated } = operation;
  const required = Object.entries(pathParameters).map(([name, type]) => [`${name}*`, type]);
  const notes = [stage, source === 'field-notes' ? 'not in the documents of the service' : ''];
  const told = notes.filter(Boolean).join(', ');
  const isForm = content === 'multipart' || content === 'json-or-multipart';
  const sections = [
    `Usage: scim-bridge api ${id}${toUsage(operation)}`,
    `${method} ${path}${told === '' ? '' : `   (${told})`}`,
    about,
    toTable('--path', Object.fromEntries(required)),
    toTable('--query', query),
    toTable(isForm ? '--body, files with --file' : '--body', body, deprecated),
    conditions &&
      `Without ${conditions.join(', ')} it changes all there is, and needs --everything.`,
    `Answer: ${toAnswer(operation)}`,
    paging && `--paginate reads the whole list (${paging}).`,
    Object.keys({ ...pathParameters, ...query, ...body }).length > 0 && '* required',
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** The options that a call needs. */
function toUsage({ pathParameters = {}, query = {}, body = {} }: Operation): string {
  const required = (fields: Fields) =>
    Object.keys(fields).flatMap((name) => (name.endsWith('*') ? name.slice(0, -1) : []));
  const [files, fields] = [true, false].map((isFile) =>
    required(body).filter((name) => isFileType(body[`${name}*`]) === isFile),
  );
  const json = fields?.map((name) => `"${name}":…`).join(',');
  return [
    ...Object.keys(pathParameters).map((name) => ` --path ${name}=…`),
    ...required(query).map((name) => ` --query ${name}=…`),
    json && ` --body '{${json}}'`,
    ...(files ?? []).map((name) => ` --file ${name}=@…`),
  ].join('');
}

function toTable(title: string, fields: Fields = {}, deprecated: readonly string[] = []): string {
  const rows = Object.entries(fields);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, type]) => {
    const note = deprecated.includes(name) ? '   (deprecated)' : '';
    return `  ${name.padEnd(width)}  ${type}${note}`;
  });
  return lines.length === 0 ? '' : [`${title}:`, ...lines].join('\n');
}

function toAnswer({ response: { kind, fields } }: Operation): string {
  if (kind === 'none') return 'nothing';
  const what = kind === 'array' ? 'a list of objects' : 'an object';
  return fields.length === 0 ? what : `${what} with ${fields.join(', ')}`;
}
