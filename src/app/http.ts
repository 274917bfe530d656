import { type ParsedUrlQuery, parse } from 'node:querystring';
import express, { type Express, type RequestHandler, type Router } from 'express';
import { createOAuthRouter, type OAuthDeps, showMetadata } from '../access/oauth/router.ts';
import { createOidcSignIn, type OidcDeps } from '../console/oidc.ts';
import { CONSOLE_PATH, createConsole } from '../console/pages.ts';
import { createSignInActs } from '../console/sign-in-acts.ts';
import { answerErrors } from '../ops/http/body.ts';
import { followRequests } from '../ops/http/follow-requests.ts';
import { answerUnknown as answerUnknownOps, createHealthRouter } from '../ops/router.ts';
import type { StatusSources } from '../ops/sources.ts';
import type { HealthSources } from '../ops/state/readiness-facts.ts';
import { readSeats } from '../ops/state/status.ts';
import { answerUnknown } from '../scim/http/respond.ts';
import { createScimRouter } from '../scim/router.ts';
import { createOperators } from './operators.ts';
import type { BridgeOptions, WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { SCIM_PATH, toScimDeps } from './scim.ts';
import { findOidcOptions, toScimPolicy } from './settings.ts';
import { addStateMetrics } from './state-metrics.ts';
import { logRarely } from './telemetry.ts';

/** Path where providers get access tokens, below the public address. */
const OAUTH_PATH = '/oauth';
/** Creates the applications that listen: SCIM with health, and the operators' interface. */
export function createApps(
  options: WatchedOptions,
  parts: BridgeParts,
): { app: Express; opsApp: Express } {
  const { settings, store, clock, events, metrics } = options;
  const { leadership, reconciler } = parts;
  const scim = createScimRouter(toScimDeps(options, parts));
  const sources = toHealthSources(options, parts);
  const health = createHealthRouter(sources);
  const status: StatusSources = {
    ...sources,
    about: options.about,
    engine: store.engine,
    activity: () => reconciler.activity(),
    readQueue: async () =>
      (await leadership.tenure()?.convergence.readQueue()) ?? leadership.news().queue,
    scimUrl: `${options.publicUrl}${SCIM_PATH}`,
    readSeats: () => readSeats(store.read, settings.seats.total, clock.now()),
  };
  addStateMetrics(metrics, status);
  const operators = createOperators(options, parts, status);
  const app = createApp(settings.trustProxy);
  const lastly = answerErrors(events.requestFailed);
  const follow = followRequests({ clock, events, tracing: options.tracing });
  app.use(follow);
  app.use(SCIM_PATH, scim);
  app.use(OAUTH_PATH, createOAuthRouter(toOAuthDeps(options, parts)));
  app.use(showMetadata(options.publicUrl, toTokenEndpoint(options)));
  app.use(health);
  const pages = openConsole(options, parts);
  if (settings.ops.port === undefined) {
    app.use(operators).use(CONSOLE_PATH, pages).get('/', leadToConsole);
  }
  // Answers also outside the base address: a provider with a wrong one gets an error of its own protocol.
  app.use(answerUnknown).use(lastly);
  const opsApp = createApp(settings.trustProxy).use(follow).use(health).use(operators);
  opsApp.use(CONSOLE_PATH, pages).get('/', leadToConsole).use(answerUnknownOps);
  opsApp.use(lastly);
  return { app, opsApp };
}

/**
 * Creates an application: every answer sets its own ETag, and no header names the software. `trustProxy` says whose
 * word about the address of a client is believed.
 */
function createApp(trustProxy: number | string[]): Express {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery);
  return app.set('trust proxy', trustProxy);
}

/** Reads every parameter, since the length of an address is limited: by itself Node drops those behind the thousandth. */
function parseQuery(query: string): ParsedUrlQuery {
  return parse(query, '&', '=', { maxKeys: 0 });
}

/** Leads a browser that was given the address alone to the console; programs get 404. */
const leadToConsole: RequestHandler = (req, res, next) => {
  if (req.accepts(['json', 'html']) === 'html') res.redirect(`${CONSOLE_PATH}/`);
  else next();
};

/** Opens the console, with the identity provider of the settings. */
function openConsole(
  { settings, clock, events }: WatchedOptions,
  { access, attempts, acts: { open: openAct } }: BridgeParts,
): Router {
  const { sessions, find: findCredential } = access;
  const acts = createSignInActs({ openAct, clock });
  const failed: OidcDeps['failed'] = events.requestFailed;
  const provider = findOidcOptions(settings);
  const oidc = provider && createOidcSignIn(provider, { sessions, clock, acts, failed });
  return createConsole({ sessions, findCredential, attempts, clock, acts, oidc });
}

/** Address where providers get access tokens. */
function toTokenEndpoint({ publicUrl }: BridgeOptions): string {
  return `${publicUrl}${OAUTH_PATH}/token`;
}

function toOAuthDeps(
  options: WatchedOptions,
  { attempts, access }: Pick<BridgeParts, 'attempts' | 'access'>,
): OAuthDeps {
  const { settings, store, clock, events } = options;
  return {
    ...{ store, clock, attempts },
    issuerKeys: access.issuerKeys,
    ownAudiences: [toTokenEndpoint(options), options.publicUrl],
    limits: toScimPolicy(settings).requests,
    turnedAway: (reason) => events.turnedAway({ reason }),
    refused: logRarely(
      clock,
      ({ clientId, reason }) => `${clientId} ${reason}`,
      ({ requestId, clientId: credential, reason }, attempts) =>
        events.assertionRefused({ requestId, credential, reason, attempts }),
    ),
    failed: events.requestFailed,
  };
}

/** Sources of health. */
export function toHealthSources(
  { store, clock, settings, scimTokens }: WatchedOptions,
  { attempts, leadership, guard, readProviderHarm, isDraining }: BridgeParts,
): HealthSources {
  return {
    ...{ store, clock, isDraining },
    news: leadership.news,
    isAuditFollowed: settings.audit.pollInterval !== 0,
    isTokenGiven: scimTokens.length > 0,
    readProviderHarm,
    viewAttempts: attempts.view,
    findLeader: leadership.known,
    writes: () => ({ mode: guard.mode, pause: guard.findPause() }),
  };
}
