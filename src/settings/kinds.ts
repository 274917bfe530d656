import { z } from 'zod';

/** Facts about a kind of value, for messages, documentation and masking. */
export interface KindFacts {
  /** Completes "allowed: …". */
  readonly allowed: string;
  /** `value`: no part of it may be shown. `password`: an address that may carry credentials. */
  readonly secret?: 'value' | 'password';
  /** Writes a loaded value as a settings file has it, where that is another form. */
  readonly show?: (value: unknown) => string;
  /** True for a value with parts whose schema has words for what is wrong with each. */
  readonly hasParts?: boolean;
}

/** The facts of every kind, kept beside the schemas because zod allows nothing else. */
export const kindFacts = z.registry<KindFacts>();

interface Bounds<T> {
  readonly min: T;
  readonly max: T;
}

/** Units of durations in milliseconds, the smallest first. */
const UNITS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Examples for messages, of which a kind shows those within its bounds. */
const EXAMPLES = ['500ms', '3s', '10m', '1h', '7d', '90d'];
const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** A span of time written as `500ms`, `3s`, `10m`, `1h`, `7d` or `0`; kept in milliseconds. */
export function duration(bounds: Bounds<string>) {
  const [min, max] = [toMs(bounds.min), toMs(bounds.max)];
  return z
    .union([z.literal(0).transform(() => '0'), z.string()])
    .pipe(z.string().regex(/^(0|\d{1,9}(ms|s|m|h|d))$/))
    .transform(toMs)
    .pipe(z.number().min(min).max(max))
    .register(kindFacts, { allowed: toAllowedSpan(bounds), show: showDuration });
}

/** As `duration`, or 0, which means never. */
export function durationOrZero(bounds: Bounds<string>) {
  const [allowed, min] = [`0, or ${toAllowedSpan(bounds)}`, toMs(bounds.min)];
  return duration({ ...bounds, min: '0' })
    .refine((ms) => ms === 0 || ms >= min)
    .register(kindFacts, { allowed, show: showDuration });
}

function toAllowedSpan({ min, max }: Bounds<string>): string {
  const isWithin = (text: string) => toMs(text) >= toMs(min) && toMs(text) <= toMs(max);
  return `a duration from ${min} to ${max}, such as ${OR.format(EXAMPLES.filter(isWithin))}`;
}

/** A whole number; environment variables bring it as digits. */
export function wholeNumber({ min, max }: Bounds<number>) {
  const digits = z.string().regex(/^\d{1,15}$/);
  return z
    .union([z.number(), digits.transform(Number)])
    .pipe(z.int().min(min).max(max))
    .register(kindFacts, { allowed: `a whole number from ${min} to ${max}` });
}

/** One word of a closed list. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words).register(kindFacts, { allowed: `one of ${words.join(', ')}` });
}

/** A text that is not empty; `allowed` describes it. */
export function text(allowed: string) {
  return z.string().trim().min(1).max(4_096).register(kindFacts, { allowed });
}

/** A proxy, or a network of proxies, but not everybody. @see https://expressjs.com/en/guide/behind-proxies.html */
const NETWORK = z
  .union([
    z.enum(['loopback', 'linklocal', 'uniquelocal']),
    z.ipv4(),
    z.ipv6(),
    z.cidrv4(),
    z.cidrv6(),
  ])
  .refine((text) => !text.endsWith('/0'));

/** Proxies in front: `none`, how many there are, or their addresses and networks as a list with commas. */
export function trustedProxies() {
  const toCount = (given: unknown) => (given === 'none' ? 0 : given);
  const count = z.preprocess(toCount, wholeNumber({ min: 0, max: 10 }));
  return z.union([count, list(NETWORK)]).register(kindFacts, {
    allowed:
      'none, how many proxies there are, from 0 to 10, or addresses and networks separated by commas, such as loopback, uniquelocal or 10.0.0.0/8',
    show: (value) => (value === 0 ? 'none' : String(value)),
  });
}

/** A list of texts: a YAML list, or one text with commas. Blank entries are dropped. */
export function textList(allowed: string, pattern = /./) {
  return list(z.string().regex(pattern)).register(kindFacts, { allowed });
}

/** Names of hosts as addresses have them between `//` and the port. */
export function hostList() {
  const allowed = 'bare names of hosts separated by commas, without port; `*` stands for any text';
  return textList(allowed, /^([\w.*-]+|\[[\da-f:.*]+\])$/i);
}

/** A value with parts: YAML, or its JSON text in the environment. Its schema says which part is wrong, and why. */
export function structured<Schema extends z.ZodType>(schema: Schema, facts: KindFacts) {
  const parse = (given: unknown) => (typeof given === 'string' ? parseJson(given) : given);
  const structure = z.preprocess(parse, schema);
  kindFacts.add(structure, { ...facts, hasParts: true });
  return structure;
}

/** The value of a JSON text, or the text itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A text, as a part; `allowed` describes it. */
export function matching(allowed: string, isAllowed: (text: string) => boolean) {
  return z.string(`has to be ${allowed}`).refine(isAllowed, `has to be ${allowed}`);
}

/** The address of an HTTP server, kept without a trailing slash so that paths can be appended, of which `path` is one. */
export function httpUrl(path?: `/${string}`) {
  const isBase = (text: string) => path === undefined || !text.replace(/\/+$/, '').endsWith(path);
  const allowed = `an http:// or https:// address ${BARE}${path ? `, and without ${path}` : ''}`;
  return address(allowed, (text) => isBareHttpUrl(text) && isBase(text));
}

/** The same where nobody in between may change the answers. */
export function httpsUrl() {
  const isSafe = (text: string) => isBareHttpUrl(text) && SAFE.test(text);
  return address(`an https:// address, or an http:// address on loopback, ${BARE}`, isSafe);
}

const BARE = 'without credentials, query or fragment';
/** An address over TLS, or on loopback. */
export const SAFE = /^(?:https:|http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$))/i;

/** The address of a proxy, which may carry credentials. */
export function proxyUrl() {
  const isHttp = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '');
  const allowed = 'an http:// or https:// address, with or without credentials';
  return address(allowed, isHttp, { secret: 'password' });
}

/** Address of the store: a SQLite file or a PostgreSQL server, whose address may carry credentials. */
export function databaseUrl() {
  const isStore = (text: string) =>
    /^sqlite:(?!:memory:)./.test(text) || (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text));
  const allowed = 'sqlite:<file> or postgres://<user>:<password>@<host>/<database>';
  return address(allowed, isStore, { secret: 'password' });
}

function address(
  allowed: string,
  isAllowed: (text: string) => boolean,
  facts: Pick<KindFacts, 'secret'> = {},
) {
  return z
    .string()
    .refine(isAllowed)
    .transform((text) => text.replace(/\/+$/, ''))
    .register(kindFacts, { allowed, ...facts });
}

/** A credential that a person or a machine presents. */
export function secret({ charactersMin }: { readonly charactersMin: number }) {
  const { schema, allowed } = credential(charactersMin);
  return schema.register(kindFacts, { allowed: `a secret of ${allowed}`, secret: 'value' });
}

/** Several credentials that are valid at once. */
export function secretList({ charactersMin }: { readonly charactersMin: number }) {
  const { schema, allowed } = credential(charactersMin);
  return list(schema).register(kindFacts, {
    allowed: `secrets separated by commas, each of ${allowed}`,
    secret: 'value',
  });
}

function credential(charactersMin: number) {
  const isGuessed = charactersMin >= GUESSED_MIN;
  const least = charactersMin > 1 ? `at least ${charactersMin} ` : '';
  const rest = isGuessed ? ', not the same few again and again' : '';
  // Characters that fit into an Authorization header in one piece, and into a list with commas.
  const schema = z
    .string()
    .min(charactersMin)
    .max(4_096)
    .regex(/^[!-+\--~]+$/)
    .refine((text) => !isGuessed || countBits(text) >= BITS_MIN);
  return { schema, allowed: `${least}visible ASCII characters without spaces and commas${rest}` };
}

/** Least length of a secret that strangers may guess at. */
const GUESSED_MIN = 16;
/** Sixteen random digits have 50; sixteen times the same letter has none. */
const BITS_MIN = 40;

/** Estimates the entropy of a text by how often each character is in it, in bits. */
function countBits(text: string): number {
  const counts = Map.groupBy(text, (character) => character).values();
  return counts.reduce((bits, { length }) => bits - length * Math.log2(length / text.length), 0);
}

function list<Item extends z.ZodType<string, string>>(item: Item) {
  const separated = z.string().transform((all) => all.split(','));
  return z
    .union([z.array(z.string()), separated])
    .transform((items) => items.map((one) => one.trim()).filter((one) => one !== ''))
    .pipe(z.array(item).max(1_000));
}

function isBareHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && !/[?#]/.test(text);
}

/** A span of time in milliseconds. */
function toMs(text: string): number {
  return Number.parseInt(text, 10) * (UNITS.get(text.replace(/^\d+/, '')) ?? 1);
}

/** A duration in the largest unit that leaves no fraction. */
export function showDuration(ms: unknown): string {
  if (typeof ms !== 'number' || ms === 0) return String(ms);
  const [unit, size] = [...UNITS].findLast(([, factor]) => ms % factor === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
