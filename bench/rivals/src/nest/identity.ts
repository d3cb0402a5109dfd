import 'reflect-metadata';
import { Controller, Module, type OnApplicationShutdown } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { openPool } from '../shared/database.ts';
import { authorise, type Caller, COUNTING_SETTINGS } from '../shared/identity.ts';
import { setting } from '../shared/process.ts';
import { startService } from './grpc.ts';

@Controller()
class IdentityController implements OnApplicationShutdown {
  private readonly limit_per_minute = setting('RATE_LIMIT_PER_MINUTE');
  private readonly pool = openPool(setting('DB_POOL_SIZE'), COUNTING_SETTINGS);

  @GrpcMethod('Identity', 'Authorise')
  authorise({ token }: { token: string }): Promise<Caller> {
    return authorise(this.pool, token, this.limit_per_minute);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

@Module({ controllers: [IdentityController] })
class IdentityModule {}

await startService(IdentityModule, setting('IDENTITY_PORT'));
