import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Expectation = z.strictObject({
  status: z.array(z.int()).min(1),
  json: z.record(z.string(), z.json()).optional(),
  headers: z.record(z.string(), z.json()).optional(),
});

const Step = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string().nullable()).optional(),
  body: z.json().optional(),
  capture: z.record(z.string(), z.string().startsWith('$')).optional(),
  expect: Expectation,
  note: z.string().optional(),
});

const ProviderCase = z.strictObject({
  id: z.string(),
  idp: z.string(),
  name: z.string(),
  source: z.string(),
  provenance: z.enum(['captured', 'documented', 'derived', 'unverified']),
  needs: z.array(z.string()),
  note: z.string().optional(),
  steps: z.array(Step).min(1),
});

/** A sequence of requests as one identity provider sends them; README.md beside this file explains the fields. */
export type ProviderCase = z.infer<typeof ProviderCase>;

/** One request of a case, and what its answer must look like. */
export type CaseStep = z.infer<typeof Step>;

/** The cases of `cases.json`, in the order of the file. @throws ZodError when a field is unknown or misspelt. */
export function parseProviderCases(): ProviderCase[] {
  const text = readFileSync(new URL('cases.json', import.meta.url), 'utf8');
  return z.array(ProviderCase).parse(JSON.parse(text));
}
