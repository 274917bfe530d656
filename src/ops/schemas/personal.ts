import { z } from 'zod';

/** Text in the place of what is hidden. */
export const HIDDEN = 'hidden';

type Neighbours = Readonly<Record<string, unknown>>;
type Hide = (value: unknown, neighbours: Neighbours) => unknown;

/** Substitutes for values of a schema that may tell who somebody is. */
const personal = z.registry<{ readonly hide: Hide }>();

/** Marks a name, in the place of which the id beside it is shown. */
export function personalName<Schema extends z.ZodType>(schema: Schema, idKey = 'id'): Schema {
  return personalBy(schema, (_name, neighbours) => {
    const id = neighbours[idKey];
    return typeof id === 'string' || typeof id === 'number' ? String(id) : HIDDEN;
  });
}

/** Marks words that may hold a name or an address. */
export function personalWords<Schema extends z.ZodType>(schema: Schema): Schema {
  return personalBy(schema, () => HIDDEN);
}

/** Marks JSON of which only numbers, flags and the names of members are no secret. */
export function personalJson<Schema extends z.ZodType>(schema: Schema): Schema {
  return personalBy(schema, hideTexts);
}

/** Marks a schema with a function that makes what is shown instead; null stays null. */
export function personalBy<Schema extends z.ZodType>(schema: Schema, hide: Hide): Schema {
  personal.add(schema, { hide });
  return schema;
}

/** True when a schema is marked: what it describes may tell who somebody is. */
export function isPersonal(schema: z.core.$ZodType): boolean {
  return personal.has(schema);
}

/** JSON with every text hidden. */
export function hideTexts(value: unknown): unknown {
  if (typeof value === 'string') return HIDDEN;
  if (Array.isArray(value)) return value.map(hideTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideTexts(one)]));
}

/** An answer as it is shown to a person who may know nobody by name: ids in the place of names, no addresses, no free words. */
export function hidePersonal(
  schema: z.core.$ZodType,
  value: unknown,
  neighbours: Neighbours = {},
): unknown {
  if (value === null || value === undefined) return value;
  const mark = personal.get(schema);
  if (mark !== undefined) return mark.hide(value, neighbours);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return hidePersonal(schema.def.innerType, value, neighbours);
  if (schema instanceof z.ZodUnion) {
    const option = schema.def.options.find((one) => z.safeParse(one, value).success);
    return option === undefined ? hideTexts(value) : hidePersonal(option, value, neighbours);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((one) => hidePersonal(schema.def.element, one));
  if (schema instanceof z.ZodObject && typeof value === 'object')
    return hideMembers(schema.def.shape, value);
  return value;
}

function hideMembers(shape: Readonly<Record<string, z.core.$ZodType>>, value: object): object {
  const neighbours = Object.fromEntries(Object.entries(value));
  const shown = Object.entries(value).map(([name, one]) => {
    const member = shape[name];
    return [name, member === undefined ? hideTexts(one) : hidePersonal(member, one, neighbours)];
  });
  return Object.fromEntries(shown);
}
