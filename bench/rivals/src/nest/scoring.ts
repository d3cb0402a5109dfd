import 'reflect-metadata';
import {
  Controller,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { type ClientGrpc, ClientsModule, GrpcMethod } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { openPool } from '../shared/database.ts';
import { type InquiryRequest, profileOf, readHistory } from '../shared/inquiries.ts';
import { setting } from '../shared/process.ts';
import type { Change } from '../shared/relay.ts';
import { recordSnapshots } from '../shared/snapshots.ts';
import type { ReportingClient } from './clients.ts';
import { grpcOptions, startService } from './grpc.ts';

const REPORTING = Symbol('reporting');

@Controller()
class ScoringController implements OnModuleInit, OnApplicationShutdown {
  @Inject(REPORTING) private readonly client!: ClientGrpc;
  private readonly pool = openPool(setting('DB_POOL_SIZE'));
  private reporting!: ReportingClient;

  onModuleInit(): void {
    this.reporting = this.client.getService<ReportingClient>('Reporting');
  }

  @GrpcMethod('Scoring', 'GetProfile')
  async getProfile(request: InquiryRequest): Promise<{ answer: string }> {
    const [file, history] = await Promise.all([
      lastValueFrom(this.reporting.recordInquiry(request)),
      readHistory(this.pool, request.subject_id),
    ]);
    return { answer: JSON.stringify(profileOf(file, history)) };
  }

  @GrpcMethod('Scoring', 'RecordSnapshots')
  async recordSnapshots({ changes }: { changes: Change[] }): Promise<object> {
    await recordSnapshots(this.pool, changes);
    return {};
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

@Module({
  imports: [
    ClientsModule.register([{ name: REPORTING, ...grpcOptions(setting('REPORTING_PORT')) }]),
  ],
  controllers: [ScoringController],
})
class ScoringModule {}

await startService(ScoringModule, setting('SCORING_PORT'));
