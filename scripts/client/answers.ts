import type {
  EntryShape,
  Operation,
  OperationGroup,
} from '../../src/upstream/operations/operation.ts';
import { type AnswerPlace, inferType, UNKNOWN_ID } from './infer-type.ts';

/** Operations of the service by the names of their groups. */
export type Groups = Readonly<Record<string, OperationGroup>>;

/** Type of a field in the notation of operations, where the name of a declaration is a type as well. */
export interface FieldType {
  readonly type: string;
  /** True if no document gives the type. */
  readonly isInferred: boolean;
}

/** An object that operations answer. */
export interface Declaration {
  readonly name: string;
  /** Ids of the operations that answer it. */
  readonly of: readonly string[];
  /** Declaration whose fields it has as well. */
  readonly base: string | undefined;
  /** Its own fields. */
  readonly fields: ReadonlyMap<string, FieldType>;
}

/** The answers of all operations. */
export interface Answers {
  readonly declarations: readonly Declaration[];
  /** The type of each answer, of an array that of its entries; undefined where nothing is answered. */
  readonly types: ReadonlyMap<Operation, string>;
}

/** Declares each shape that has a name once, and what one operation alone answers. */
export function toAnswers(groups: Groups): Answers {
  const operations = Object.values(groups).flatMap((group) => Object.values(group));
  const found = new Map<string, Found>();
  const types = new Map<Operation, string>();

  function add(name: string, shape: EntryShape, place: Place): void {
    const base = findNamed(shape.base);
    if (base !== undefined) add(base.name, base, place);
    const known = found.get(name) ?? { shape, base, of: [], places: [] };
    known.places.push(place);
    found.set(name, known);
  }

  /** The type of a shape: its own name, that of its base if it adds nothing, or one after the operation. */
  function toEntry(shape: EntryShape, place: Place, suffix: 'Answer' | 'Entry'): string {
    if (shape.fields.length === 0) return 'object';
    const named = findNamed(shape);
    const isNamed = named !== undefined && listOwn(shape, named).length === 0;
    const name = isNamed ? named.name : `${toPascal(place.operation.id)}${suffix}`;
    add(name, isNamed ? named : shape, place);
    found.get(name)?.of.push(place.operation.id);
    return name;
  }

  for (const group of Object.values(groups)) {
    for (const operation of Object.values(group)) {
      const { kind, entries, ...response } = operation.response;
      if (kind === 'none') continue;
      const place = { operation, group, operations };
      const isList = kind === 'array' || kind === 'list';
      const entry = toEntry(entries ?? response, place, isList ? 'Entry' : 'Answer');
      const whole = { ...response, types: { ...response.types, Resources: `${entry}[]` } };
      types.set(operation, kind === 'list' ? toEntry(whole, place, 'Answer') : entry);
    }
  }
  return { declarations: [...found].map(toDeclaration), types };
}

/** A shape with the operations that answer it, and those that answer it or what extends it. */
interface Found {
  readonly shape: EntryShape;
  readonly base: NamedShape | undefined;
  readonly of: string[];
  readonly places: Place[];
}

function toDeclaration([name, { shape, base, of, places }]: [string, Found]): Declaration {
  const fields = listOwn(shape, base).map((field) => {
    const known = shape.types?.[field];
    const inferred = known === undefined ? inferAnywhere(field, shape, places) : undefined;
    const type = known ?? inferred ?? 'unknown';
    return [field, { type, isInferred: inferred !== undefined }] as const;
  });
  return { name, of, base: base?.name, fields: new Map(fields) };
}

/** What most of the places say of a field: a number or a text rather than either, and null if one says so. */
function inferAnywhere(field: string, { fields }: EntryShape, places: readonly Place[]) {
  const all = places.flatMap((place) => inferType(field, { ...place, fields }) ?? []);
  const exact = all.filter((type) => !type.includes(UNKNOWN_ID));
  const some = exact.length === 0 ? all : exact;
  return some.find((type) => type.endsWith('null')) ?? some[0];
}

/** `SpacesCreateNewSpace` of `spaces.createNewSpace`. */
export function toPascal(id: string): string {
  return id.replace(/(?:^|\.)\w/g, (start) => start.slice(-1).toUpperCase());
}

type Place = Omit<AnswerPlace, 'fields'>;
type NamedShape = EntryShape & { readonly name: string };

/** The shape, or the nearest one that it extends, that has a name. */
function findNamed(shape: EntryShape | undefined): NamedShape | undefined {
  if (shape === undefined) return undefined;
  const { name } = shape;
  return name === undefined ? findNamed(shape.base) : { ...shape, name };
}

/** The fields that the base does not have, or of which it says less. */
function listOwn({ fields, types }: EntryShape, base: EntryShape | undefined): string[] {
  return fields.filter(
    (name) => !base?.fields.includes(name) || types?.[name] !== base.types?.[name],
  );
}
