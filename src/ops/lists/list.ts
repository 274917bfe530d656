import type { Filters, ListAnswer } from '../http/list-query.ts';
import type { OpsJson, OpsSchemaName } from '../schemas/schemas.ts';

/** Meaning of a state, from harmless to urgent. */
export type Tone = 'good' | 'info' | 'waiting' | 'bad' | 'quiet';

/** Page of the console that tells more. */
export interface Link {
  readonly type: 'user' | 'group' | 'plan';
  readonly id: string;
}

/** Value of a cell. Moments, alone or in a sentence, are ISO 8601: each face writes them in its own way. */
type CellValue = string | number | boolean | null | undefined;

type MemberOf<Item> = {
  [Name in keyof Item & string]: Item[Name] extends CellValue ? Name : never;
}[keyof Item & string];

/** One column of a list: the same in the command line, in CSV and in the console. `name` is its head, and its member where it has no `value`. */
export type Column<Item> = ColumnLook<Item> &
  (
    | { readonly name: string; value(item: Item): CellValue }
    | { readonly name: MemberOf<Item>; readonly value?: never }
  );

interface ColumnLook<Item> {
  /** `id`: is read last, and not shown by the console; `time`: one moment; `ago`: one whose distance says more. */
  readonly kind?: 'id' | 'time' | 'ago';
  /** How the console says it, where a code stands in the command line. */
  words?(item: Item): string;
  /** A sentence: the console gives it the space that is left. */
  readonly isLong?: true;
  readonly filter?: string;
  link?(item: Item): Link | null;
  /** Tones of its values; others are quiet. */
  readonly tones?: Readonly<Record<string, Tone>>;
  tone?(item: Item): Tone;
  /** `whole`: typed into another command, cut off last. `minor`: left out first. `csv`: in CSV alone. */
  readonly place?: 'whole' | 'minor' | 'csv';
}

/** The text of a cell. */
export function toCellText<Item>({ name, value }: Column<Item>, item: Item): string {
  const member: unknown = value ? value(item) : Reflect.get(Object(item), name);
  return String(member ?? '');
}

/** A cell with its tone; undefined: it has none. */
export function toCell<Item>(column: Column<Item>, item: Item) {
  const { tones, tone } = column;
  const text = toCellText(column, item);
  return { text, tone: tones ? (tones[text] ?? 'quiet') : tone?.(item) };
}

/** A request below `/ops`, as the command line and the console send it. */
interface RequestRow {
  /** `{resource}` stands for the path of a user or group. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Its command with its arguments, each a parameter of the request. */
  readonly command: string;
  readonly help?: string;
}

interface ListRow extends Omit<RequestRow, 'command'> {
  readonly filters: Filters;
  readonly meanings?: Readonly<Record<string, string>>;
  /** That of the path when left out. */
  readonly command?: string;
  /** Filters that hold unless another value is asked for. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/** A list below `/ops`: what is asked, and how each face shows it. */
export interface List<Item> extends ListRow {
  readonly command: string;
  readonly columns: readonly Column<Item>[];
}

/** What each face says about an empty list. */
export const NOTHING = 'There is nothing to list.';

/** Names of the schemas of lists. */
export type ListName = {
  [Name in OpsSchemaName]: OpsJson<Name> extends ListAnswer<unknown> ? Name : never;
}[OpsSchemaName];

/** Types one list by the schema of its answer; what is written there stays known to its route. */
export function listOf<Name extends ListName>(
  answer: Name,
  columns: readonly Column<OpsJson<Name>['items'][number]>[],
) {
  return <const Row extends ListRow>(row: Row) => ({
    command: row.path.slice(1),
    ...row,
    columns,
    answers: { 200: answer },
  });
}

/** The page of the plan that an entry names. */
export function toPlanLink({ planId: id }: { readonly planId: string | null }): Link | null {
  return id === null ? null : { type: 'plan', id };
}

/** The meanings of filters, unless a list gives them another one. */
export const MEANINGS: Readonly<Record<string, string>> = {
  managed: 'The bridge may write it.',
  staged: 'A provider sent it, and its terms keep it from the service.',
  due: 'Something is to be done.',
  stuck: 'Something acknowledged is refused by the service.',
  disputed: 'A provider was answered 409 for its name.',
  drifted: 'The service differs in what nobody asked for.',
  deleted: 'Deleted ones instead of the others.',
  q: 'Part of a userName, an address or a displayName, in any case; or a whole id, of SCIM, of the provider or of the service.',
  resource: 'Of this user or group: a userName, an address, a displayName or a SCIM id.',
  kind: 'Of this kind.',
  status: 'In this state.',
  order: 'Which come first: `newest` when left out.',
  limit: 'Entries of a page; 100 by default.',
  cursor: 'The `nextCursor` of the page before.',
};

/** Why something does not come through, and when it is tried next. Who waits for a seat has a turn, and no time. */
export function toProblemText(
  problem: { readonly code: string; readonly words: string } | null,
  nextAt: string | null,
): string {
  if (problem === null) return '';
  const hasTime = nextAt !== null && problem.code !== 'no-seat';
  return `${problem.words}${hasTime ? `; next attempt ${nextAt}` : ''}`;
}

/** A value of JSON as words. */
export function toWords(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Prints a list as CSV: a line of heads, then one for each item, with CRLF. @see RFC 4180 */
export function toCsv<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const lines = [
    columns.map(({ name }) => name),
    ...items.map((item) => columns.map((column) => toCellText(column, item))),
  ];
  return lines.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
}

/** A terminal would follow control characters. A spreadsheet would run a text that begins like a formula: a mark goes before it. */
function toField(given: string): string {
  const text = given.replaceAll(/[^\P{Cc}\t\r\n]+/gu, ' ');
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Values of a request by the names of parameters of its path and of members of its body. */
export type Given = Readonly<Record<string, unknown>>;

type ItemOf<Answer> = Answer extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** A request that changes something, or compares a file. Where it asks a question and has a dry run, that is shown first. */
export interface Act<Answer> extends RequestRow {
  readonly body?: OpsSchemaName;
  /** Its body is a provider's export instead. */
  readonly file?: 'required' | 'optional';
  /** Of the address; each is an option of the command, or one of its arguments. */
  readonly parameters?: Filters;
  readonly meanings?: Readonly<Record<string, string>>;
  /** Of its answer; 200 when left out. */
  readonly status?: number;
  readonly question?: string;
  /** The question is asked where this flag is given. */
  readonly asksIf?: string;
  /** Options of members of the body that are not called as the member is. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Word of an option that sends null. */
  readonly nulls?: Readonly<Record<string, string>>;
  /** Members of the body that are not typed. */
  readonly fixed?: Given;
  say(answer: Answer, given: Given): string;
  /** What a yes to a dry run adds to the body. */
  confirmed?(preview: Answer): Given;
  /** False where some of it was refused. */
  isWhole?(answer: Answer): boolean;
  /** Lists the items of the answer. */
  readonly columns?: readonly Column<ItemOf<Answer>>[];
  /** Items that the command lists, and with which it ends as incomplete; without it all are listed, and it is complete. */
  isFinding?(item: ItemOf<Answer>): boolean;
}

/** Types one act by the schema of its answer; what is written there stays known to its route. */
export function actOf<Name extends OpsSchemaName>(answer: Name) {
  return <const Row extends Act<OpsJson<Name>>>(row: Row) => {
    const answers: Readonly<Record<number, Name>> = { [row.status ?? 200]: answer };
    return { ...row, method: 'post', answers } as const;
  };
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
