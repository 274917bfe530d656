import { createDirectory } from '../../src/sandbox/create-directory.ts';
import type { Directory } from '../../src/sandbox/directory.ts';
import { Faults } from '../../src/sandbox/faults.ts';
import { carryOut } from '../../src/sandbox/http/carry-out.ts';
import type { Wire } from '../../src/sandbox/http/wire.ts';
import { SandboxService } from '../../src/sandbox/service.ts';
import { sandboxPresets } from '../../src/sandbox/shape.ts';
import type { PreparedRequest } from '../../src/upstream/operations/prepare.ts';

/** The sandbox's company without HTTP: a call is answered at once. */
export interface Company {
  readonly directory: Directory;
  readonly service: SandboxService;
  /** How many calls were carried out or refused. */
  readonly calls: number;
  answer(method: string, request: PreparedRequest): Wire;
  /** From now on the company refuses (400) every call that this says yes to. */
  refuse(isRefused: (method: string, request: PreparedRequest) => boolean): void;
}

const BASE_URL = 'http://service.invalid';

/** A company with nobody but its owner. */
export function createCompany(now: () => number): Company {
  const directory = createDirectory(undefined, now, () => sandboxPresets.documented);
  const faults = new Faults();
  const refusals: ((method: string, request: PreparedRequest) => boolean)[] = [];
  let calls = 0;
  return {
    directory,
    service: new SandboxService(directory),
    get calls() {
      return calls;
    },
    answer(method, request) {
      calls += 1;
      if (refusals.some((isRefused) => isRefused(method, request))) return REFUSED;
      const [path = '', query = ''] = request.path.split('?');
      const text = request.body ?? '';
      const address = '192.0.2.1';
      return carryOut(
        { directory, faults, baseUrl: BASE_URL },
        { method, path, query, text, address },
      );
    },
    refuse: (isRefused) => void refusals.push(isRefused),
  };
}

const REFUSED: Wire = {
  status: 400,
  headers: {},
  text: '{"message":"the company does not like it"}',
};
