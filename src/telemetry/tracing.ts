/** Values beside a span: routes, codes, kinds; never a name, an address or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Beginning of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  /** Trace that it belongs to, as W3C Trace Context writes it; without one, the span that runs, else a new trace. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** End of a span. */
interface SpanEnd {
  /** Replaces the name. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  readonly hasFailed?: boolean;
}

/** One piece of work in a trace. */
export interface Span {
  /** The span as W3C Trace Context writes it. */
  readonly traceparent: string;
  /** Runs work within the span: spans that begin in it are its children. */
  run<T>(work: () => T): T;
  end(end?: SpanEnd): void;
}

/** Begins spans; absent where tracing is off: nothing is to be looked up for it then. */
export interface Tracing {
  begin(start: SpanStart): Span;
}
