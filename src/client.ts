// The public face of the client: what other programs import as `@scim-bridge/client`.
export type { ClientAttempt, ClientHooks, FinishedAttempt } from './client/client-hooks.ts';
export type {
  Answering,
  AnswerWithResponse,
  Call,
  CallOptions,
  ListCall,
  PositionedListCall,
  RedirectCall,
} from './client/client-types.ts';
export type { Client, ClientOptions } from './client/create-client.ts';
export { createClient } from './client/create-client.ts';
export type * from './client/operations.ts';
export type { Entries, PaginateOptions } from './client/paginate.ts';
export type { AnswerBody, AnswerHead, AnswerHeaders } from './upstream/answer-body.ts';
export type { Download } from './upstream/download.ts';
export { type Outcome, UpstreamError, type UpstreamErrorCode } from './upstream/errors.ts';
export type { Completeness } from './upstream/list-progress.ts';
export type { PositionedPage, RedirectTarget } from './upstream/operations/call-types.ts';
export type { FileInput, FileSource } from './upstream/operations/file-input.ts';
export type { ChosenOf, Operation } from './upstream/operations/operation.ts';
export type { DownloadRequest, RawRequest } from './upstream/raw-request.ts';
