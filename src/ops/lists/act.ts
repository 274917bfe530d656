import type { Filters } from '../http/list-query.ts';
import type { OpsJson, OpsSchemaName } from '../schemas/schemas.ts';
import type { Column } from './list.ts';

/** Values of a request by the names of parameters of its path and of members of its body. */
export type Given = Readonly<Record<string, unknown>>;

/** A request below `/ops` that changes something: the same in the command line and in the console. */
export interface Act<Answer> {
  /** `{resource}` stands for the path of a user or group. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly body?: OpsSchemaName;
  /** Of its answer; 200 when left out. */
  readonly status?: number;
  /** Its command with its arguments, each a parameter of the path or a member of the body. */
  readonly command: string;
  readonly question?: string;
  /** The question is asked where this flag is given. */
  readonly asksIf?: string;
  /** Options of members of the body that are not called as the member is. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Word of an option that sends null. */
  readonly nulls?: Readonly<Record<string, string>>;
  readonly help?: string;
  say(answer: Answer, given: Given): string;
}

/** Types one act by the schema of its answer; what is written there stays known to its route. */
export function actOf<Name extends OpsSchemaName>(answer: Name) {
  return <const Row extends Act<OpsJson<Name>>>(row: Row) => {
    const answers: Readonly<Record<number, Name>> = { [row.status ?? 200]: answer };
    return { ...row, method: 'post', answers } as const;
  };
}

/** A request below `/ops` with a provider's export as its body. */
export interface FileAct<Answer, Item> {
  readonly path: `/${string}`;
  readonly summary: string;
  /** Each is an option of the command, or one of its arguments. */
  readonly parameters: Filters;
  readonly meanings: Readonly<Record<string, string>>;
  /** `<file>` among the arguments is the export; else it is an option. */
  readonly command: string;
  readonly fileOption?: string;
  readonly help: string;
  readonly columns: readonly Column<Item>[];
  /** Kinds of items that `--kind` chooses from, and an answer with those alone; without it there is no such option. */
  readonly kinds?: readonly string[];
  narrow?(answer: Answer, kinds: readonly string[]): Answer;
  listItems?(answer: Answer): readonly Item[];
  say(answer: Answer): string;
  /** True: the command ends with the exit code of an incomplete outcome. */
  isIncomplete?(answer: Answer): boolean;
}

/** Types one request with an export; what is written there stays known to its route. */
export function fileActOf<Name extends 'Census' | 'Handover' | 'IdImport'>(answer: Name) {
  // Nothing reads the body before the handler does.
  const file = { method: 'post', file: 'text/csv', readers: [] } as const;
  return <const Row extends FileAct<OpsJson<Name>, OpsJson<Name>['items'][number]>>(row: Row) => ({
    ...row,
    ...file,
    answers: { 200: answer },
  });
}

/** User or group that an act is about. */
export type Subject = Readonly<Record<'id', string> & Record<'type', 'user' | 'group'>>;

/** The path of an act, and its body with what the path does not hold. */
export function toRequest(
  { path: template, body }: Pick<Act<never>, 'path' | 'body'>,
  { resource: _, ...typed }: Given,
  of?: Subject,
) {
  const path = of ? template.replace('{resource}', `${of.type}s/${of.id}`) : template;
  // The name of a provider is its id.
  const { name, ...unnamed } = typed;
  const isNamed = path.includes('{id}') && typed.id === undefined;
  const given = isNamed ? { ...unnamed, id: name } : typed;
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  const others = Object.entries(given).filter(([name]) => !inPath.has(name));
  return {
    path: `/${fill(path.slice(1), given, encodeURIComponent)}` as const,
    ...(body !== undefined && { body: Object.fromEntries(others) }),
  };
}

/** The question of an act about what was given; undefined: it asks nothing. */
export function findQuestion({ question, asksIf }: Act<never>, given: Given) {
  if (asksIf !== undefined && given[asksIf] !== true) return undefined;
  return question && fill(question, given, String);
}

/** The command that does the same, as it is typed. */
export function toCommandLine({ command }: Pick<Act<never>, 'command'>, given: Given): string {
  const inUsage = new Set<string>();
  const words = command.replaceAll(/ [<[](\w+)[\]>]/g, (_, name: string) => {
    inUsage.add(name);
    return given[name] === undefined ? '' : ` ${toShell(given[name])}`;
  });
  const others = Object.entries(given).filter(([name]) => !inUsage.has(name));
  const options = others.map(([name, value]) => {
    const flag = ` --${toKebab(name)}`;
    return value === true ? flag : `${flag} ${toShell(value)}`;
  });
  return `scim-bridge ${words}${options.join('')}`;
}

/** `formerName` as `former-name`. */
export function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A text as an argument of a shell. */
export function toShell(value: unknown): string {
  const text = String(value);
  return /^[\w@.:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function fill(template: string, given: Given, toText: (value: string) => string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => toText(String(given[name])));
}
