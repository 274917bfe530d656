/** Meaning of a state, from harmless to urgent. */
export type Tone = 'good' | 'info' | 'waiting' | 'bad' | 'quiet';

/** A word for a state. The word says it; the colour only helps. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return (
    <span className="tag" data-tone={tone}>
      {text}
    </span>
  );
}

/** Number of things that wait, beside the name of their page. */
export function Count({ text }: { readonly text: string }) {
  return (
    <span className="count">
      {text}
      <span className="hidden"> waiting</span>
    </span>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  held: 'waiting',
  open: 'waiting',
  contested: 'bad',
  repairing: 'info',
  approved: 'info',
  planned: 'quiet',
  released: 'info',
  done: 'good',
  applied: 'good',
  repaired: 'good',
  settled: 'good',
  pending: 'info',
  stuck: 'bad',
  drifted: 'waiting',
  operator: 'info',
  running: 'info',
  complete: 'good',
  incomplete: 'waiting',
};

/** A state of a plan, a drift or a field in its own word. */
export function StateTag({ state }: { readonly state: string }) {
  return <Tag tone={TONES[state] ?? 'quiet'} text={state} />;
}
