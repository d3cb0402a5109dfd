import { HealthCheckResponse_ServingStatus as ServingStatus } from '@credit/proto/grpc/health/v1/health';
import { Readiness } from './readiness';

/** Identity as the health check sees it. */
function identity(answers: (boolean | Error)[]) {
  let asked = 0;
  return {
    asked: () => asked,
    check: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return { status: answer ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
    },
  };
}

const aWhile = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a gateway is ready once identity has answered, and not before', async () => {
  const peer = identity([new Error('refused'), false, true]);
  const readiness = new Readiness(peer, 1);
  expect(readiness.state).toBe('starting');
  readiness.begin();
  await aWhile();
  expect(readiness.state).toBe('ready');
  expect(peer.asked()).toBe(3);
});

test('once ready it stays ready, whatever becomes of identity', async () => {
  const peer = identity([true, new Error('refused')]);
  const readiness = new Readiness(peer, 1);
  readiness.begin();
  await aWhile();
  expect(readiness.state).toBe('ready');
  expect(peer.asked()).toBe(1);
});

test('a gateway that is told to stop is ready no more, and asks no more', async () => {
  const peer = identity([false]);
  const readiness = new Readiness(peer, 1);
  readiness.begin();
  await aWhile();
  readiness.drain();
  expect(readiness.state).toBe('draining');
  await aWhile();
  const asked = peer.asked();
  await aWhile();
  expect(peer.asked()).toBe(asked);
});
