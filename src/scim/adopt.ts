import type { Adoption, AdoptionRequest } from '../domain/adoption.ts';
import type { ScimDeps } from './deps.ts';
import { adoptableGroups } from './groups/create-group.ts';
import { adoptableUsers } from './users/store-change.ts';
import { adoptByHand } from './writes/adoption.ts';

/** Takes an account or group over for an operator. */
export function adopt(
  deps: ScimDeps,
  type: 'user' | 'group',
  request: AdoptionRequest,
): Promise<Adoption> {
  return type === 'user'
    ? adoptByHand(deps, adoptableUsers, request)
    : adoptByHand(deps, adoptableGroups, request);
}
