import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { JsonValue } from '../../domain/json.ts';
import { defaultConfigFile } from '../context.ts';

const json = z.custom<JsonValue>();
const texts = z.array(z.string());
const condition = z.strictObject({
  is: z.enum(['filled', 'empty', 'number', 'boolean']).optional(),
  matches: z.string().optional(),
  from: z.number().optional(),
  to: z.number().optional(),
  has: texts.optional(),
  lacks: texts.optional(),
});
/** A list is what is among the entries. */
const list = texts.transform((has): z.infer<typeof condition> => ({ has }));
const expectation = z.union([z.string(), z.number(), z.boolean(), list, condition]);
const stepSchema = z.strictObject({
  send: z.string().optional(),
  change: z.string().optional(),
  made: z.string().optional(),
  /** Name of the creation whose body is sent, with the members of `body` in place of its own. */
  like: z.string().optional(),
  body: z.record(z.string(), json).optional(),
  ops: z.array(z.record(z.string(), json)).optional(),
  /** How often the operations stand in the PATCH. */
  repeat: z.number().default(1),
  form: z.record(z.string(), z.string()).optional(),
  /** null: the header is not sent. */
  headers: z.record(z.string(), z.string().nullable()).optional(),
  status: z.union([z.number(), z.array(z.number())]).optional(),
  expect: z.record(z.string(), expectation).default({}),
  capture: z.record(z.string(), z.string()).default({}),
  /** How often the request is sent at once. */
  times: z.number().default(1),
  /** Longest time for all of them; the fastest of three tries counts. */
  withinMs: z.number().optional(),
  skip: z.string().optional(),
});
/** Names of the gates. */
export const gateNames = ['okta', 'entra', 'ipsie'] as const;
const source = z.tuple([z.string(), z.string()]);
const catalogue = z.strictObject({
  read: z.string(),
  gates: z.record(
    z.enum(gateNames),
    z.strictObject({ title: z.string(), profile: z.enum(['lenient', 'strict']) }),
  ),
  documents: z.record(z.string(), source),
  creations: z.record(
    z.enum(['Users', 'Groups']),
    z.strictObject({ names: texts, body: z.record(z.string(), json) }),
  ),
  shared: z.unknown(),
  checks: z.record(
    z.string(),
    z.tuple([z.string(), z.partialRecord(z.enum(gateNames), source)], stepSchema),
  ),
});

/** What the part of an answer at a path has to be. */
export type Expectation = z.infer<typeof expectation>;
/** A step of a check, as config/gallery.yaml describes it. */
export type Step = z.infer<typeof stepSchema>;
/** Name of a gate. */
export type GateName = (typeof gateNames)[number];
/** A gate: what its checks create, and the checks, each with where it is asked for. */
export type Gate = ReturnType<typeof readGate>;

/** Reads a gate of config/gallery.yaml. */
export function readGate(gate: GateName) {
  const file = join(dirname(defaultConfigFile), 'gallery.yaml');
  const text = readFileSync(file, 'utf8');
  const { read, gates, documents, ...rest } = catalogue.parse(
    parse(text, { merge: true, maxAliasCount: -1 }),
  );
  const checks = Object.entries(rest.checks).flatMap(([id, [title, sources, ...steps]]) => {
    const [key = '', part = ''] = sources[gate] ?? [];
    const [document = '', url = ''] = documents[key] ?? [];
    return key === '' ? [] : [{ id, title, source: { document, part, url, read }, steps }];
  });
  return { gate, ...gates[gate], creations: rest.creations, checks };
}
