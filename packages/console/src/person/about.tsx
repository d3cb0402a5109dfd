import type { PersonScreen } from './screen';
import { MY } from './visit';

/** What is kept of a person, for how long, and what can be done about it. */
export const aboutScreen: PersonScreen = {
  path: `${MY}/about`,
  show: async () => ({
    title: 'About your data',
    body: (
      <>
        <p class="lead">
          Lenders report here what they lend you and how it is paid back, and look before they lend.
          What you do here is seen by nobody else, and moves no score.
        </p>
        <h2>What is kept, and how long</h2>
        <ul>
          <li>
            Each account that a lender reports, and what happened to it, with its date. Bad news
            leaves the profile after seven years; the account stays while it is open.
          </li>
          <li>Who has looked at your file, when and for what purpose: shown for two years.</li>
          <li>What you have contested, and what was decided.</li>
        </ul>
        <h2>Why nothing is erased</h2>
        <p>
          A record that could be erased could be bent. What was wrong is corrected beside it:
          readers see what is right, the score is worked out anew, and you can prove what had been
          said.
        </p>
        <h2>If something is wrong</h2>
        <p>
          <a href="/dispute">Dispute the entry</a>. A decision is due within 30 days, and what you
          contest says so until then to everybody who reads it. Any question is answered by{' '}
          <a href="/contact">the network</a>.
        </p>
      </>
    ),
  }),
};
