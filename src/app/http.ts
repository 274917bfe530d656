import { parse } from 'node:querystring';
import type { Express, RequestHandler, Router } from 'express';
import express from 'express';
import { createOAuthRouter, showMetadata } from '../access/oauth/router.ts';
import { CONSOLE_PATH, createConsole } from '../console/pages.ts';
import { createOidcSignIn, createSignInActs } from '../console/sign-in.ts';
import { followRequests, tellAnswered } from '../ops/http/follow-requests.ts';
import { answerErrors } from '../ops/http/operator.ts';
import {
  answerUnknown as answerUnknownOps,
  createHealthRouter,
  createOperatorRouter,
} from '../ops/router.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import { createDriftDecisions } from '../reconcile/repair/decisions.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { answerUnknown } from '../scim/http/respond.ts';
import { findRepairWords } from '../scim/repairs.ts';
import { createScimRouter } from '../scim/router.ts';
import type { Leadership } from './leader.ts';
import { toNotificationSource } from './notifications.ts';
import type { TenureParts } from './parts.ts';
import { findOidcOptions } from './settings.ts';
import { addStateMetrics } from './state-metrics.ts';

/** Path of SCIM below the public address. */
export const SCIM_PATH = '/scim/v2';
/** Path where providers get access tokens, below the public address. */
const OAUTH_PATH = '/oauth';

/** Everything that one process is made of: its listeners take from it what they need. */
export interface BridgeParts extends TenureParts {
  readonly leadership: Leadership;
  readonly reconciler: Reconciler;
  readonly scim: ScimDeps;
}

/** Creates the applications that listen: SCIM with health, and the operators' interface. */
export function createApps(parts: BridgeParts): { app: Express; opsApp: Express } {
  const { settings, clock, events, metrics, publicUrl, process, acts, requests } = parts;
  addStateMetrics(metrics, parts);
  const operators = createOperatorRouter({
    ...parts,
    rules: process.rules,
    drifts: createDriftDecisions(process),
    findRepairWords,
    notifications: toNotificationSource(parts),
    recordsStored: () => Promise.all([acts.stored(), requests.stored()]),
  });
  const health = createHealthRouter(parts);
  const pages = openConsole(parts);
  const lastly = answerErrors(events.requestFailed);
  const follow = followRequests({ clock, events, tracing: parts.tracing });
  const app = createApp(settings.trustProxy).use(follow, hideWaysUp(answerUnknown));
  app.use(SCIM_PATH, createScimRouter(parts.scim));
  const tokenEndpoint = `${publicUrl}${OAUTH_PATH}/token`;
  const oauth = createOAuthRouter({
    ...parts,
    issuerKeys: parts.access.issuerKeys,
    ownAudiences: [tokenEndpoint, publicUrl],
    limits: parts.scim.policy.requests,
  });
  app.use(OAUTH_PATH, oauth).use(showMetadata(publicUrl, tokenEndpoint)).use(health);
  if (settings.ops.port === undefined) {
    app.use(operators).use(CONSOLE_PATH, pages).get('/', leadToConsole);
  }
  // Answers also outside the base address: a provider with a wrong one gets an error of its own protocol.
  app.use(answerUnknown).use(lastly);
  const opsApp = createApp(settings.trustProxy).use(follow, hideWaysUp(answerUnknownOps));
  opsApp.use(health).use(operators);
  opsApp.use(CONSOLE_PATH, pages).get('/', leadToConsole).use(answerUnknownOps);
  opsApp.use(lastly);
  return { app, opsApp };
}

/** Creates an application without headers that name it. `trustProxy`: whose word about the client's address is believed. */
function createApp(trustProxy: number | string[]): Express {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery);
  tellAnswered(app);
  return app.set('trust proxy', trustProxy);
}

/** Two dots between slashes, each of them encoded or not. */
const WAY_UP = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?:$|[/\\]|%2f|%5c)/i;

/** Finds nothing behind a way up: a proxy that resolves it has let `/ops/..%2fscim%2fv2` pass as SCIM. */
const hideWaysUp =
  (answer: RequestHandler): RequestHandler =>
  (req, res, next) =>
    WAY_UP.test(req.path) ? answer(req, res, next) : next();

/** Reads every parameter, since the length of an address is limited: by itself Node drops those behind the thousandth. */
const parseQuery = (query: string) => parse(query, '&', '=', { maxKeys: 0 });

/** Leads a browser that was given the address alone to the console; programs get 404. */
const leadToConsole: RequestHandler = (req, res, next) => {
  if (req.accepts(['json', 'html']) === 'html') res.redirect(`${CONSOLE_PATH}/`);
  else next();
};

/** Opens the console, with the identity provider of the settings. */
function openConsole(parts: BridgeParts): Router {
  const { clock, attempts, access, events } = parts;
  const acts = createSignInActs({ openAct: parts.acts.open, clock });
  const provider = findOidcOptions(parts.settings);
  const oidc = provider && createOidcSignIn(provider, { access, acts, events });
  return createConsole({ access, attempts, acts, oidc });
}
