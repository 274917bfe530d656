import type { Wire } from '../../../src/sandbox/http/serve.ts';
import { carryOut } from '../../../src/sandbox/http/serve.ts';
import { SandboxService } from '../../../src/sandbox/service.ts';
import { sandboxPresets } from '../../../src/sandbox/shape.ts';
import { State } from '../../../src/sandbox/state.ts';
import type { PreparedRequest } from '../../../src/upstream/operations/prepare.ts';

/** The sandbox's company without HTTP: a call is answered at once. */
export type Company = ReturnType<typeof createCompany>;

const BASE_URL = 'http://service.invalid';

/** A company with nobody but its owner. */
export function createCompany(now: () => number) {
  const service = new SandboxService({
    state: new State(),
    nowMs: now,
    shape: sandboxPresets.documented,
  });
  const refusals: ((method: string, request: PreparedRequest) => boolean)[] = [];
  const words: string[] = [];
  let calls = 0;
  return {
    service,
    get calls() {
      return calls;
    },
    answer(method: string, request: PreparedRequest): Wire {
      calls += 1;
      if (refusals.some((isRefused) => isRefused(method, request))) return REFUSED;
      const [path = '', query = ''] = request.path.split('?');
      const text = request.body ?? '';
      const address = '192.0.2.1';
      return carryOut({ service, baseUrl: BASE_URL }, { method, path, query, text, address });
    },
    /** From now on the company refuses (400) these calls. Only requests that have `word` in them are to be refused. */
    refuse(word: string, isRefused: (method: string, request: PreparedRequest) => boolean) {
      words.push(word);
      refusals.push(isRefused);
    },
    /** From now on two groups may have the same name, so that the company does not say what was made twice. */
    allowSameNames() {
      service.inputs.shape = { ...service.shape, uniqueGroupNames: 'nowhere' };
    },
    mayRefuse: (text: string) => words.some((word) => text.includes(word)),
  };
}

const REFUSED: Wire = {
  status: 400,
  headers: {},
  text: '{"message":"the company does not like it"}',
};
