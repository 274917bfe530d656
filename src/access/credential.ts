import type { Credential } from '../domain/credential.ts';

/**
 * Finds the credential that a presented token belongs to; undefined when it is unknown or not valid any more.
 * @throws StoreError when the look-up failed, which is no "undefined"
 */
export type FindCredential = (presented: string) => Promise<Credential | undefined>;
