import type {
  EntryShape,
  Operation,
  OperationGroup,
} from '../../src/upstream/operations/operation.ts';
import { type AnswerPlace, inferType } from './infer-type.ts';
import { toAnswerType, toKey, toPascal } from './to-type.ts';

/** The types of all answers. */
export interface Answers {
  /** Declarations: each named shape once, then what is the answer of one operation alone. */
  readonly text: string;
  /** The type of an operation's answer, of a list that of its entries; undefined where nothing is answered. */
  readonly types: ReadonlyMap<Operation, string>;
}

/** Declares the types of the answers of all operations. */
export function toAnswers(groups: Readonly<Record<string, OperationGroup>>): Answers {
  const operations = Object.values(groups).flatMap((group) => Object.values(group));
  const places = Object.values(groups).flatMap((group) =>
    Object.values(group).flatMap((operation) => toPlace({ operation, group, operations })),
  );
  const shapes = toNamedShapes(places);
  const printed = places.map((place) => [place.operation, printAnswer(place, shapes)] as const);
  const named = [...shapes].map(([name, { base, types }]) => {
    const ids = places
      .filter(({ shape }) => shape.name === name)
      .map(({ operation: { id } }) => id);
    const about = ids.length === 0 ? 'Part of other answers.' : `Answer of ${toList(ids)}.`;
    return toInterface({ name, about, base, types }, shapes);
  });
  const texts = [...named, ...printed.flatMap(([, { text }]) => (text === '' ? [] : [text]))];
  const types = new Map(printed.map(([operation, { type }]) => [operation, type]));
  return { text: texts.join('\n'), types };
}

function toList(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}

/** An operation that answers a shape. */
interface Place extends AnswerPlace {
  readonly shape: EntryShape;
}

function toPlace(place: Omit<AnswerPlace, 'fields'>): Place[] {
  const { response } = place.operation;
  const shape = response.entries ?? response;
  return response.kind === 'none' ? [] : [{ ...place, shape, fields: shape.fields }];
}

/** Types of fields by their names; undefined evidence: the service is known to give the type, or none is known. */
type FieldTypes = ReadonlyMap<
  string,
  { readonly type: string; readonly from?: string | undefined }
>;

function toFieldTypes({ shape: { fields, types = {} }, ...place }: Place): FieldTypes {
  return new Map(
    fields.map((field) => {
      const known = types[field];
      if (known !== undefined) return [field, { type: toAnswerType(known) }];
      return [field, inferType(field, { ...place, fields }) ?? { type: 'unknown' }];
    }),
  );
}

/** Shapes by their names. */
type NamedShapes = ReadonlyMap<
  string,
  { readonly base: string | undefined; readonly types: FieldTypes }
>;

/** The types of a named shape hold wherever it is answered; a place that says more of a field says it itself. */
function toNamedShapes(places: readonly Place[]): NamedShapes {
  const answered = new Map<string, { shape: EntryShape; types: FieldTypes[] }>();
  for (const place of places) {
    const types = toFieldTypes(place);
    for (let shape: EntryShape | undefined = place.shape; shape; shape = shape.base) {
      if (shape.name === undefined) continue;
      const known = answered.get(shape.name) ?? { shape, types: [] };
      known.types.push(types);
      answered.set(shape.name, known);
    }
  }
  return new Map(
    [...answered].map(([name, { shape, types }]) => {
      const united = shape.fields.map((field) => [field, unite(field, types)] as const);
      return [name, { base: findName(shape.base), types: new Map(united) }];
    }),
  );
}

/** The name of the shape, or of the nearest one that it extends. */
function findName(shape: EntryShape | undefined): string | undefined {
  return shape === undefined ? undefined : (shape.name ?? findName(shape.base));
}

/** The type of a field wherever it is answered. A place that says nothing of it learns what the others say. */
function unite(field: string, places: readonly FieldTypes[]) {
  const all = places.flatMap((types) => types.get(field) ?? []);
  const telling = all.filter(({ type, from }) => type !== 'unknown' && from !== 'its name');
  const known = telling.length === 0 ? all : telling;
  const words = new Set(known.flatMap(({ type }) => toAlternatives(type)));
  if (all.some(({ type }) => toAlternatives(type).includes('null'))) words.add('null');
  const sources = new Set(known.map(({ from }) => from));
  return {
    type: [...words].toSorted((a, b) => Number(a === 'null') - Number(b === 'null')).join(' | '),
    from: sources.size === 1 ? known[0]?.from : undefined,
  };
}

function toAlternatives(type: string): string[] {
  return type.split(/ \| (?![^(]*\))/);
}

/** The type of an answer, and its declaration where no named shape says all of it. */
function printAnswer(place: Place, shapes: NamedShapes): { type: string; text: string } {
  const { id, response } = place.operation;
  const isList = response.kind === 'array' || response.kind === 'list';
  const entry = printShape(place, `${toPascal(id)}${isList ? 'Entry' : 'Answer'}`, shapes);
  if (response.kind !== 'list') return entry;
  const type = `${toPascal(id)}Answer`;
  const types = new Map(toFieldTypes({ ...place, shape: response }));
  types.set('Resources', { type: `${entry.type}[]` });
  const text = toInterface(
    { name: type, about: `Answer of ${toList([id])}.`, base: undefined, types },
    shapes,
  );
  return { type, text: entry.text === '' ? text : `${entry.text}\n${text}` };
}

function printShape(place: Place, name: string, shapes: NamedShapes) {
  const types = toFieldTypes(place);
  if (types.size === 0) return { type: 'Record<string, unknown>', text: '' };
  const base = findName(place.shape);
  const isSame = base !== undefined && listOwn(types, base, shapes).length === 0;
  if (isSame) return { type: base, text: '' };
  const [[field, { type = '' } = {}] = ['']] = types;
  // Mostly the id of what was removed.
  if (types.size === 1) return { type: `{ ${toKey(field)}: ${type} }`, text: '' };
  const about = `Answer of ${toList([place.operation.id])}.`;
  return { type: name, text: toInterface({ name, about, base, types }, shapes) };
}

interface Declaration {
  readonly name: string;
  readonly about: string;
  readonly base: string | undefined;
  readonly types: FieldTypes;
}

function toInterface({ name, about, base, types }: Declaration, shapes: NamedShapes): string {
  const lines = listOwn(types, base, shapes).map(([field, { type, from }]) => {
    const source = from === undefined ? '' : `/** Inferred from ${from}. */ `;
    return `  ${source}${toKey(field)}: ${type};\n`;
  });
  const head = `export interface ${name}${base === undefined ? '' : ` extends ${base}`}`;
  return `/** ${about} */\n${head} {\n${lines.join('')}}\n`;
}

/** The fields that the base does not have, or of which it says less. */
function listOwn(types: FieldTypes, base: string | undefined, shapes: NamedShapes) {
  const inherited = base === undefined ? undefined : shapes.get(base)?.types;
  return [...types].filter(([field, { type }]) => {
    const known = inherited?.get(field)?.type;
    return known === undefined || isNarrower(type, known);
  });
}

function isNarrower(type: string, than: string): boolean {
  const wide = toAlternatives(than);
  const narrow = toAlternatives(type);
  return (
    type !== 'unknown' && narrow.length < wide.length && narrow.every((one) => wide.includes(one))
  );
}
