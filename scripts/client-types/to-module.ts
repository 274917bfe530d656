import type {
  EntryShape,
  Fields,
  Operation,
  OperationGroup,
} from '../../src/upstream/operations/operation.ts';
import { toName } from '../../src/upstream/operations/part.ts';
import { type AnswerPlace, inferType } from './infer-type.ts';
import { toAnswerType, toArgumentType } from './to-type.ts';

/** Operations of one group, and all of them. */
export interface GroupPlace {
  readonly name: string;
  readonly group: OperationGroup;
  readonly operations: readonly Operation[];
}

/** Prints the types of one group as a module of TypeScript: arguments, answers, and the operations themselves. */
export function toGroupModule(place: GroupPlace): string {
  const { name, group } = place;
  const types = Object.values(group).flatMap((operation) => [
    toArguments(operation),
    toAnswer({ ...place, operation }),
  ]);
  const members = Object.entries(group).map(([key, operation]) => toMember(key, operation));
  const text = [
    ...types.filter((each) => each !== ''),
    `/** Operations of \`client.${name}\`. */\nexport interface ${toGroupType(name)} {\n${members.join('\n')}}\n`,
  ].join('\n');
  return `${HEAD}${toImports(text)}\n${text}`;
}

/** The name of the interface of a group. */
export function toGroupType(name: string): string {
  return `${toPascal(name)}Operations`;
}

/** First line of every generated module. */
export const HEAD =
  '// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.\n';

/** Remark by which an editor strikes something out. */
const DEPRECATED = '@deprecated The service flags it so.';

const SOURCES: readonly (readonly [path: string, names: readonly string[]])[] = [
  ['../../upstream/operations/file-input.ts', ['FileInput']],
  ['../client-types.ts', ['Call', 'ChosenOf', 'ListCall', 'PositionedListCall', 'RedirectCall']],
];

function toImports(text: string): string {
  const lines = SOURCES.flatMap(([path, names]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
    return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '${path}';\n`];
  });
  return lines.join('');
}

function toTypeName({ id }: Operation, kind: 'Arguments' | 'Answer' | 'Entry'): string {
  return id.split('.').map(toPascal).join('') + kind;
}

function toPascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function toArguments(operation: Operation): string {
  const { id, pathParameters, query, body, content = 'json', conditions } = operation;
  const isForm = content !== 'json';
  const required = Object.entries(pathParameters ?? {}).map(([name, type]) => [`${name}*`, type]);
  const parts = [
    ...(pathParameters ? [toPart(operation, 'path', Object.fromEntries(required))] : []),
    ...(query ? [toPart(operation, 'query', query)] : []),
    ...(body ? [toPart(operation, 'body', body, isForm ? ' | FormData' : '')] : []),
  ];
  const name = toTypeName(operation, 'Arguments');
  const about = `/** Arguments of \`${id}\`. */\n`;
  if (parts.length === 0) return `${about}export type ${name} = Record<never, never>;\n`;
  const text = `{\n${parts.join('')}}`;
  if (conditions === undefined) return `${about}export interface ${name} ${text}\n`;
  const names = conditions.map((each) => `'${each}'`).join(' | ');
  return `${about}export type ${name} = ChosenOf<${text}, ${names}>;\n`;
}

function toPart(operation: Operation, part: string, fields: Fields, form = ''): string {
  const lines = Object.entries(fields).map(([written, type]) => {
    const name = toName(written);
    const isRequired = name !== written;
    const places = operation.undocumented ?? [];
    const isNoted = places.includes(`${part}.${name}`) || places.includes(name);
    const isDeprecated = part === 'body' && operation.deprecated?.includes(name) === true;
    const notes = [
      ...(isNoted ? ['Not in the documents of the service.'] : []),
      ...(isDeprecated ? [DEPRECATED] : []),
    ];
    const about = notes.length === 0 ? '' : `    /** ${notes.join(' ')} */\n`;
    const value = toArgumentType(type);
    return `${about}    readonly ${toKey(name)}${isRequired ? `: ${value}` : `?: ${value} | undefined`};\n`;
  });
  const isRequired = Object.keys(fields).some((written) => written.endsWith('*'));
  const end = isRequired ? `}${form};\n` : `}${form} | undefined;\n`;
  return `  readonly ${part}${isRequired ? '' : '?'}: {\n${lines.join('')}  ${end}`;
}

function toKey(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`;
}

type OperationPlace = Omit<AnswerPlace, 'fields'>;

function toAnswer(place: OperationPlace): string {
  const { operation } = place;
  const { id, response } = operation;
  if (response.kind === 'none') return '';
  const answer = toTypeName(operation, 'Answer');
  const about = `/** Answer of \`${id}\`. */\n`;
  if (response.kind !== 'array' && response.kind !== 'list') {
    return toObject({ name: answer, about, shape: response, place });
  }
  const name = toTypeName(operation, 'Entry');
  const shape = response.entries ?? response;
  const entry = toObject({
    name,
    about: `/** Entry of the answer of \`${id}\`. */\n`,
    shape,
    place,
  });
  if (response.kind === 'array') return `${entry}\n${about}export type ${answer} = ${name}[];\n`;
  return `${entry}\n${toObject({ name: answer, about, shape: response, place, entry: name })}`;
}

/** One object of an answer, as an interface. */
interface PrintedObject {
  readonly name: string;
  readonly about: string;
  readonly shape: EntryShape;
  readonly place: OperationPlace;
  /** The type of one of its `Resources`. */
  readonly entry?: string;
}

function toObject({ name, about, shape, place, entry }: PrintedObject): string {
  const { fields, types = {} } = shape;
  if (fields.length === 0) return `${about}export type ${name} = Record<string, unknown>;\n`;
  const lines = fields.map((field) => {
    const type = types[field];
    if (field === 'Resources' && entry !== undefined) return `  ${field}: ${entry}[];\n`;
    if (type !== undefined) return `  ${toKey(field)}: ${toAnswerType(type)};\n`;
    const inferred = inferType(field, { ...place, fields });
    if (inferred === undefined) return `  ${toKey(field)}: unknown;\n`;
    return `  /** Inferred from ${inferred.from}. */\n  ${toKey(field)}: ${inferred.type};\n`;
  });
  return `${about}export interface ${name} {\n${lines.join('')}}\n`;
}

function toMember(name: string, operation: Operation): string {
  return `${toComment(operation)}  readonly ${name}: ${toCall(operation)};\n`;
}

function toCall(operation: Operation): string {
  const { method, response, paging } = operation;
  const args = toTypeName(operation, 'Arguments');
  if (response.kind === 'none') return `Call<${args}, undefined>`;
  const answer = toTypeName(operation, 'Answer');
  if (paging === 'start-position') {
    return `PositionedListCall<${args}, ${toTypeName(operation, 'Entry')}>`;
  }
  if (paging !== undefined) return `ListCall<${args}, ${answer}>`;
  if (response.kind === 'redirect') return `RedirectCall<${args}, ${answer}>`;
  return `Call<${args}, ${answer}${method === 'DELETE' ? ' | undefined' : ''}>`;
}

function toComment(operation: Operation): string {
  const { about, method, path, stage } = operation;
  const lines = [
    ...toLines(about),
    '',
    `\`${method} ${path}\``,
    ...toRemarks(operation),
    ...toParameters(operation),
    ...(stage === 'deprecated' ? [DEPRECATED] : []),
  ];
  const text = lines.map((line) => `   * ${line}`.trimEnd()).join('\n');
  return `  /**\n${text}\n   */\n`;
}

function toRemarks({ stage, repeat, paging, source, conditions }: Operation): string[] {
  const remarks = [
    stage === 'beta' && 'The service flags it as beta.',
    source === 'field-notes' && 'Known from the running service only, not from its documents.',
    paging !== undefined && '`client.paginate` reads all of it.',
    conditions !== undefined && 'Without a condition it needs `everything: true`.',
    repeat === 'unsafe' &&
      'Not repeated after a lost answer: a second one may do more than the first.',
  ];
  const told = remarks.filter((remark) => typeof remark === 'string');
  return told.length === 0 ? [] : ['', ...told.flatMap(toLines)];
}

function toParameters({ pathParameters, query, body }: Operation): string[] {
  const parts = Object.entries({ path: pathParameters, query, body }).flatMap(([part, fields]) => {
    const names = Object.keys(fields ?? {}).map(
      (name) => `\`${toName(name)}\`${name.endsWith('*') ? ' (required)' : ''}`,
    );
    return names.length === 0 ? [] : [`\`${part}\`: ${names.join(', ')}`];
  });
  if (parts.length === 0) return [];
  return ['', ...toLines(`@param args ${parts.join('; ')}`)];
}

/** Lines of a comment of at most 100 columns. */
function toLines(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length > 92) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
