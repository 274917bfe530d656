import { ok, problem, route } from '../http/route.ts';

/** Place of the embedded sandbox, whose controls are below `/_sandbox/`. */
export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
}

/** The request for the embedded sandbox. */
export const sandboxRoute = route({
  method: 'get',
  path: '/sandbox',
  tag: 'State',
  summary: 'Where the embedded sandbox is, for its controls: docs/sandbox.md.',
  answers: { 200: 'Sandbox', 404: 'Problem' },
  handle: async ({ sandbox }: { readonly sandbox: SandboxAddress | undefined }) =>
    sandbox === undefined
      ? problem(404, 'no-sandbox', 'The bridge stands before a real service.')
      : ok({ url: sandbox.url, token: sandbox.token }),
});
