import type { Credential } from '../domain/credential.ts';

/**
 * Whose a presented token is; undefined: nobody's, or not valid any more.
 * @throws StoreError when it could not be looked up, which is no "undefined"
 */
export type FindCredential = (presented: string) => Promise<Credential | undefined>;
