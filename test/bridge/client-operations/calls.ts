import { type Expected, Open, type Pair, type Value } from './notation.ts';

/** A call and what it has to be on the wire. */
export interface TableCall {
  readonly args: Readonly<Partial<Record<Part, Args>>> & { readonly everything?: true };
  readonly query: readonly Pair[];
  /** Undefined when the body is not JSON. */
  readonly json: object | undefined;
  /** The parts of a form, files as their text; undefined when the body is none. */
  readonly form: readonly Pair[] | undefined;
}

type Part = 'path' | 'query' | 'body';
type Args = Readonly<Record<string, unknown>>;

/** One parameter; its name is without the star. */
export interface Parameter {
  readonly part: Part;
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: Value;
}

/** Every parameter of an operation; those of the path are all required. */
export function listParameters(expected: Expected): Parameter[] {
  return (['path', 'query', 'body'] as const).flatMap((part) =>
    Object.entries(expected[part] ?? {}).map(([written, value]) => {
      const name = written.replace(/\*$/, '');
      return { part, name, isRequired: part === 'path' || name !== written, value };
    }),
  );
}

/** Calls with all parameters: as many as the one with most values has; and one without files where they are optional. */
export function listCalls(expected: Expected): TableCall[] {
  const parameters = listParameters(expected);
  const count = Math.max(1, ...parameters.map(({ value }) => listSent(value).length));
  const calls = Array.from({ length: count }, (_, index) => toCall(parameters, index));
  if (expected.content !== 'json-or-multipart') return calls;
  const withoutFiles = parameters.filter(({ value }) => !isFiles(value));
  return [...calls, toCall(withoutFiles, 0)];
}

/** The call with what is required and nothing else. */
export function toSmallestCall(expected: Expected): TableCall {
  const required = listParameters(expected).filter(({ isRequired }) => isRequired);
  const call = toCall(required, 0);
  if (expected.everything === undefined) return call;
  return { ...call, args: { ...call.args, everything: true } };
}

/** The arguments without one of them. */
export function without({ args }: TableCall, { part, name }: Parameter): object {
  const { [name]: _, ...rest } = args[part] ?? {};
  return { ...args, [part]: rest };
}

/** The arguments with another value for one of them. */
export function withValue({ args }: TableCall, { part, name }: Parameter, value: unknown): object {
  return { ...args, [part]: { ...args[part], [name]: value } };
}

/** What is sent for a parameter, one in each call. Lists may hold what is not documented. */
function listSent(value: unknown): readonly unknown[] {
  if (value instanceof Open) return value.values;
  return [Array.isArray(value) ? value.map((item) => listSent(item)[0]) : value];
}

function toCall(parameters: readonly Parameter[], index: number): TableCall {
  const chosen = parameters.map((parameter) => {
    const values = listSent(parameter.value);
    return { ...parameter, sent: values[index % values.length] };
  });
  const [path, query, body] = (['path', 'query', 'body'] as const).map((part) =>
    chosen.filter((parameter) => parameter.part === part),
  );
  const args = { ...toArgs('path', path), ...toArgs('query', query), ...toArgs('body', body) };
  const isForm = body?.some(({ value }) => isFiles(value)) === true;
  const hasBody = body?.length !== 0;
  return {
    args,
    query: query?.flatMap(toPairs) ?? [],
    json: isForm || !hasBody ? undefined : args.body,
    form: isForm ? body?.flatMap(toPairs) : undefined,
  };
}

type Chosen = Parameter & { readonly sent: unknown };

function toArgs(part: Part, chosen: readonly Chosen[] = []): Partial<Record<Part, Args>> {
  if (chosen.length === 0) return {};
  return { [part]: Object.fromEntries(chosen.map(({ name, sent }) => [name, sent])) };
}

function toPairs({ name, value, sent }: Chosen): readonly Pair[] {
  if (!(value instanceof Open)) return [[name, String(sent)]];
  if (value.kind === 'travels') return value.pairs;
  return value.kind === 'files' ? value.texts.map((text) => [name, text]) : [[name, String(sent)]];
}

function isFiles(value: Value): boolean {
  return value instanceof Open && value.kind === 'files';
}
