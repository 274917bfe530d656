import type { Fields, Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';
import { toName } from '../../src/upstream/operations/part.ts';
import { type Answers, type Declaration, type Groups, toAnswers, toPascal } from './answers.ts';
import { listRemarks } from './to-page.ts';

/** Prints the types of the arguments of all operations, for the bridge's own calls and for the client. */
export function toArgumentsModule(groups: Groups): string {
  const operations = Object.values(groups).flatMap((group) => Object.values(group));
  const members = operations.map((each) => `  readonly '${each.id}': ${toArgumentsName(each)};\n`);
  return [
    `${ORIGIN}import type { FileInput } from './file-input.ts';\nimport type { ChosenOf } from './operation.ts';\n`,
    ...operations.map(toArguments),
    `/** The arguments of every operation by its id. */\nexport interface OperationArguments {\n${members.join('')}}\n`,
  ].join('\n');
}

/** Prints the types of the client as one module: answers, and the operations themselves. */
export function toTypesModule(groups: Groups): string {
  const answers = toAnswers(groups);
  const interfaces = Object.entries(groups).map(([name, group]) => toGroup(name, group, answers));
  const members = Object.keys(groups).map(
    (name) => `  readonly ${name}: ${toPascal(name)}Operations;\n`,
  );
  return [
    HEAD,
    ...answers.declarations.map(toInterface),
    ...interfaces,
    `/** Every operation of the service as \`client.<group>.<operation>(args, options)\`, as its documents name it. */\nexport interface OperationClient {\n${members.join('')}}\n`,
  ].join('\n');
}

const ORIGIN =
  '// Generated from the rows in src/upstream/operations/ by `npm run generate`; do not edit.\n';
const HEAD = `${ORIGIN}import type * as args from '../upstream/operations/arguments.ts';
import type { Call, ListCall, PositionedListCall, RedirectCall } from './client-types.ts';

export type * from '../upstream/operations/arguments.ts';
`;

/** Remark by which an editor strikes something out. */
const DEPRECATED = '@deprecated The service flags it so.';
/** Columns of the fields of a part that stand on one line. */
const COLUMNS = 92;

function toInterface({ name, of, base, fields }: Declaration): string {
  const about = of.length === 0 ? 'Part of other answers.' : `Answer of \`${of.join('`, `')}\`.`;
  const lines = [...fields].map(([field, { type, isInferred }]) => {
    return `  ${isInferred ? '/** Inferred. */ ' : ''}${toKey(field)}: ${toAnswerType(type)};\n`;
  });
  const head = `export interface ${name}${base === undefined ? '' : ` extends ${base}`}`;
  return `/** ${about} */\n${head} {\n${lines.join('')}}\n`;
}

function toGroup(name: string, group: OperationGroup, answers: Answers): string {
  const members = Object.entries(group).map(
    ([key, operation]) =>
      `${toComment(operation)}  readonly ${key}: ${toCall(operation, answers)};\n`,
  );
  const about = `/** Operations of \`client.${name}\`. */\n`;
  return `${about}export interface ${toPascal(name)}Operations {\n${members.join('')}}\n`;
}

function toArgumentsName({ id }: Operation): string {
  return `${toPascal(id)}Arguments`;
}

function toArguments(operation: Operation): string {
  const { pathParameters, query, body, conditions } = operation;
  const required = Object.entries(pathParameters ?? {}).map(([name, type]) => [`${name}*`, type]);
  const parts = [
    ...(pathParameters ? [toPart(operation, 'path', Object.fromEntries(required))] : []),
    ...(query ? [toPart(operation, 'query', query)] : []),
    ...(body ? [toPart(operation, 'body', body)] : []),
  ];
  const name = toArgumentsName(operation);
  if (parts.length === 0) return `export type ${name} = Record<never, never>;\n`;
  const text = `{\n${parts.join('')}}`;
  if (conditions === undefined) return `export interface ${name} ${text}\n`;
  return `export type ${name} = ChosenOf<${text}, '${conditions.join("' | '")}'>;\n`;
}

function toPart(operation: Operation, part: string, fields: Fields): string {
  const { undocumented = [], deprecated = [] } = operation;
  const lines = Object.entries(fields).map(([written, type]) => {
    const name = toName(written);
    const isNoted = undocumented.includes(`${part}.${name}`) || undocumented.includes(name);
    const note = isNoted ? '/** Not in the documents of the service. */ ' : '';
    const flag = part === 'body' && deprecated.includes(name) ? `/** ${DEPRECATED} */ ` : '';
    const value = toType(type, 'object', 'readonly ');
    return `${note}${flag}readonly ${toKey(name)}${name === written ? `?: ${value} | undefined` : `: ${value}`};`;
  });
  const isRequired = Object.keys(fields).some((written) => written.endsWith('*'));
  const line = `{ ${lines.join(' ')} }`;
  const isShort = line.length < COLUMNS && !line.includes('/**');
  const object = isShort ? line : `{\n${lines.map((each) => `    ${each}\n`).join('')}  }`;
  return `  readonly ${part}${isRequired ? '' : '?'}: ${object}${isRequired ? '' : ' | undefined'};\n`;
}

function toCall(operation: Operation, answers: Answers): string {
  const { method, response, paging } = operation;
  const args = `args.${toArgumentsName(operation)}`;
  const type = answers.types.get(operation);
  if (type === undefined) return `Call<${args}, undefined>`;
  const entry = toAnswerType(type);
  if (paging === 'start-position') return `PositionedListCall<${args}, ${entry}>`;
  const answer = response.kind === 'array' ? `${entry}[]` : entry;
  if (paging !== undefined) return `ListCall<${args}, ${answer}>`;
  if (response.kind === 'redirect') return `RedirectCall<${args}, ${answer}>`;
  return `Call<${args}, ${answer}${method === 'DELETE' ? ' | undefined' : ''}>`;
}

function toComment(operation: Operation): string {
  const { about, method, path, stage, pathParameters = {}, query = {}, body = {} } = operation;
  const parameters = Object.entries({ path: pathParameters, query, body }).flatMap(
    ([part, fields]) => {
      const names = Object.keys(fields).map(
        (name) => `\`${toName(name)}\`${name.endsWith('*') ? ' (required)' : ''}`,
      );
      return names.length === 0 ? [] : [`\`${part}\`: ${names.join(', ')}`];
    },
  );
  const lines = [
    about,
    '',
    [`\`${method} ${path}\`.`, ...listRemarks(operation)].join(' '),
    ...(parameters.length === 0 ? [] : [`@param args ${parameters.join('; ')}`]),
    ...(stage === 'deprecated' ? [DEPRECATED] : []),
  ];
  const text = lines.map((line) => `   * ${line}`.trimEnd()).join('\n');
  return `  /**\n${text}\n   */\n`;
}

function toAnswerType(type: string): string {
  return toType(type, 'Record<string, unknown>', '');
}

/** The TypeScript type of a type in the notation of operations. */
function toType(type: string, object: string, list: 'readonly ' | ''): string {
  const names: Readonly<Record<string, string>> = { integer: 'number', object, file: 'FileInput' };
  return type.replace(
    /(\([^()]+\)|'[^']*'|\w+)(\[\])?/g,
    (_, item: string, isList: string | undefined) => {
      const inner = item.startsWith('(') ? `(${toType(item.slice(1, -1), object, list)})` : item;
      return `${isList ? list : ''}${names[inner] ?? inner}${isList ?? ''}`;
    },
  );
}

/** The name of a property as it is written in a type. */
function toKey(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`;
}
