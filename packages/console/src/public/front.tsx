import { ifAnswered } from '../attempt';
import { count, Stat } from '../components';
import type { VisitorScreen } from '../screen';

/** The first page: what this is, and what one can do about it. */
export const frontScreen: VisitorScreen = {
  path: '/',
  show: async (visit) => {
    const stats = await ifAnswered(visit.call('getNetworkStats'));
    const totals = [
      ['Lenders', stats?.value.institutions],
      ['Subjects', stats?.value.subjects],
      ['Accounts', stats?.value.accounts],
      ['Events in 30 days', stats?.value.events_30d],
    ] as const;
    const known = totals.flatMap(([name, total]) =>
      total === null || total === undefined ? [] : [{ name, total }],
    );
    return {
      title: 'A credit record that answers to those in it',
      body: (
        <>
          <p class="lead">
            Lenders report here what they lend and how it is paid back, and look before they lend.
            Nothing is overwritten: what was wrong is corrected beside it, and every score says what
            it was made of.
          </p>
          <div class="paths">
            <section class="card">
              <h2>Is something wrong about you?</h2>
              <p>
                Anybody may contest an entry, free of charge and without an account. A decision is
                due within 30 days.
              </p>
              <p class="row">
                <a class="button" href="/dispute">
                  Dispute an entry
                </a>
                <a href="/dispute/follow">Follow your dispute</a>
              </p>
            </section>
            <section class="card">
              <h2>Do you lend?</h2>
              <p>
                Members report their accounts and read the profiles of those who ask them for
                credit. An administrator looks at every application.
              </p>
              <p class="row">
                <a class="button" href="/apply">
                  Apply
                </a>
                <a href="/members">Who is in it</a>
              </p>
            </section>
            <section class="card">
              <h2>Do you work at a member?</h2>
              <p>
                The console is where people report, look up, answer disputes and give out keys. For
                programs there is an API.
              </p>
              <p class="row">
                <a class="button" href="/console">
                  Open the console
                </a>
                <a href="/docs">Documentation</a>
              </p>
            </section>
          </div>
          {known.length > 0 && (
            <div class="stats">
              {known.map(({ name, total }) => (
                <Stat name={name} value={count(total)} />
              ))}
            </div>
          )}
          <h2>What is kept, and for how long</h2>
          <ul>
            <li>The accounts that lenders report, and what happened to each, with its date.</li>
            <li>Who looked, when and for what purpose.</li>
            <li>
              Disputes: while one is open, what it is about says so to everybody who reads it.
            </li>
            <li>
              A score from 300 to 850 follows from it by{' '}
              <a href="/docs/guides/profiles">rules that are published</a>; old entries count less
              and less, and stop.
            </li>
          </ul>
        </>
      ),
    };
  },
};
