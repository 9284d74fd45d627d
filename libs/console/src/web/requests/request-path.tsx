import { milliseconds } from '../parts/units.ts';
import { pathOf, timeOf, type ServicePath, type Stage } from './path-parts.ts';
import { chain, isOfChain, type RequestRecord, type ServiceTime } from './requests.ts';

const titles: Readonly<Record<Stage, string>> = {
  access: 'access',
  admission: 'admission',
  store: 'etcd',
  response: 'response',
  rest: 'other work',
};
const stages: readonly Stage[] = ['access', 'admission', 'store', 'response', 'rest'];

const box = { width: 176, height: 46, gap: 56, top: 34 };
const small = { height: 30, gap: 10 };
const left = 96;

/**
 * A drawing of the chain: the services that got the request, and below each what it did there. What the request did not pass is drawn faintly. An
 * extension API server stands at the end.
 */
export function RequestPath({ record }: { readonly record: RequestRecord }) {
  const passed = new Map(pathOf(record).map((service) => [service.service, service]));
  const others = record.services.map(({ service }) => service).filter((name) => !isOfChain(name));
  const names = [...chain, ...others];
  const width = left + names.length * (box.width + box.gap);
  const height = box.top + box.height + stages.length * (small.height + small.gap) + 26;
  const summary = record.services
    .map(({ service, milliseconds: took }) => `${service} ${milliseconds(took)}`)
    .join(', ');
  return (
    <div class="drawing">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Passed ${summary}`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" class="arrow-head" />
          </marker>
        </defs>
        <Client />
        {names.map((name, at) => (
          <Service
            key={name}
            name={name}
            x={left + at * (box.width + box.gap)}
            time={passed.get(name)}
            next={nextTime(record.services, name)}
            hasResponded={record.answeredBy === name}
          />
        ))}
      </svg>
    </div>
  );
}

/** How long the service waited for the next one that got the request. */
function nextTime(services: readonly ServiceTime[], name: string): number {
  const at = services.findIndex(({ service }) => service === name);
  return at < 0 ? 0 : (services[at + 1]?.milliseconds ?? 0);
}

function Client() {
  const y = box.top + box.height / 2;
  return (
    <g class="passed">
      <circle cx="26" cy={y} r="9" class="client" />
      <text x="26" y={y + 30} class="caption">
        client
      </text>
    </g>
  );
}

interface ServiceProps {
  readonly name: string;
  readonly x: number;
  readonly time: ServicePath | undefined;
  readonly next: number;
  readonly hasResponded: boolean;
}

function Service({ name, x, time, next, hasResponded }: ServiceProps) {
  const y = box.top;
  const centre = y + box.height / 2;
  const from = x === left ? 40 : x - box.gap;
  return (
    <g class={time === undefined ? 'missed' : 'passed'}>
      <line x1={from + 4} x2={x - 5} y1={centre} y2={centre} class="hop" marker-end="url(#arrow)" />
      <rect x={x} y={y} width={box.width} height={box.height} rx="7" class={hasResponded ? 'box responded' : 'box'} />
      <text x={x + 12} y={y + 20} class="name">
        {name}
      </text>
      <text x={x + 12} y={y + 37} class="caption left">
        {time === undefined ? 'not asked' : `${milliseconds(Math.max(0, time.milliseconds - next))} here`}
      </text>
      {hasResponded && (
        <text x={x + box.width / 2} y={y - 10} class="caption">
          responded
        </text>
      )}
      {time !== undefined &&
        stages.map((stage, at) => (
          <StageBox
            key={stage}
            stage={stage}
            x={x}
            y={y + box.height + small.gap + at * (small.height + small.gap)}
            time={time}
          />
        ))}
    </g>
  );
}

function StageBox({ stage, x, y, time }: { stage: Stage; x: number; y: number; time: ServicePath }) {
  const took = timeOf(time, stage);
  const isPassed = took > 0;
  return (
    <g class={isPassed ? 'passed' : 'missed'}>
      <rect x={x + 14} y={y} width={box.width - 14} height={small.height} rx="5" class={`small stage-${stage}`} />
      <text x={x + 26} y={y + 20} class="name">
        {titles[stage]}
      </text>
      <text x={x + box.width - 12} y={y + 20} class="caption right">
        {isPassed ? milliseconds(took) : '–'}
      </text>
    </g>
  );
}
