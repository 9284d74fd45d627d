import { useEffect, useState } from 'preact/hooks';
import { poll } from '../api/while-visible.ts';
import { Badge } from '../parts/parts.tsx';
import { milliseconds } from '../parts/units.ts';
import { Refusal } from '../parts/refusal.tsx';
import { codeText, moodOf, timeText } from '../requests/requests-view.tsx';
import { readRequests, type RequestList, type RequestRecord } from '../requests/requests.ts';
import { linkTo } from '../shell/routes.ts';
import { Section } from '../workloads/section.tsx';
import { trafficOf } from './traffic.ts';

const pollMs = 2000;
const shownErrors = 5;

/** Requests per second, errors, and the slowest requests. */
export function TrafficSection() {
  const [read, setRead] = useState<{ readonly list: RequestList; readonly at: number }>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(
    () => poll(() => void readRequests().then((list) => setRead({ list, at: Date.now() }), setProblem), pollMs),
    [],
  );
  if (read === undefined) return problem === undefined ? null : <Refusal error={problem} />;
  const traffic = trafficOf(read.list.items, read.at);
  const { seconds, perSecond, failed, refused, slowest, bySecond } = traffic;
  const of = read.list.isAll ? 'of all users' : 'your own';
  const errors = [...failed, ...refused];
  return (
    <Section title="Requests" note={`${of}, without those of the console, in the last ${seconds} s`}>
      <div class="traffic">
        <div>
          <p>
            <b>{perSecond.toFixed(perSecond < 10 ? 1 : 0)}</b> per second, <b>{failed.length}</b> failed,{' '}
            <b>{refused.length}</b> refused
          </p>
          <Bars values={bySecond} />
        </div>
        <RequestLinks title="Slowest" records={slowest} say={({ milliseconds: took }) => milliseconds(took)} />
        <RequestLinks
          title="Failed and refused"
          records={errors.slice(0, shownErrors)}
          say={({ receivedAt }) => timeText(receivedAt)}
        />
      </div>
    </Section>
  );
}

/** One bar for each second. */
function Bars({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(1, ...values);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${values.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Requests by second, at most ${highest}`}
    >
      {values.map((value, at) => (
        <rect key={at} x={at + 0.1} width="0.8" y={10 - (10 * value) / highest} height={(10 * value) / highest} />
      ))}
    </svg>
  );
}

interface RequestLinksProps {
  readonly title: string;
  readonly records: readonly RequestRecord[];
  readonly say: (record: RequestRecord) => string;
}

function RequestLinks({ title, records, say }: RequestLinksProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {records.length === 0 && <p class="quiet">none</p>}
      <ul>
        {records.map((record) => (
          <li key={record.auditID}>
            <Badge kind={moodOf(record.code)}>{codeText(record.code)}</Badge> {say(record)}{' '}
            <a href={linkTo.request(record.auditID)} title={record.uri}>
              {record.verb} {record.uri.split('?', 1)[0]}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
